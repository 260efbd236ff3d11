use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}

const LOW: f64 = 0.3;
const HIGH: f64 = 1.0;

#[agent(
    model = "openai://gpt-4o-mini",
    preamble = "You decide.",
    output = B,
    contract(
        suppress_below = LOW,
        review = (LOW + 0.1)..=HIGH,
        auto_approve_above = 1,
        confidence = token_level,
        budget = "8s",
        version = "2",
    ),
)]
fn ask(_: &A) -> String { String::new() }

#[agent(model = "openai://gpt-4o-mini", preamble = "You decide.", output = C, contract)]
struct Ask {}

#[agent(model = "openai://gpt-4o-mini", preamble = "", output = C, contract(confidence = calibrated))]
fn then(b: &B) -> String { let _ = b; String::new() }

#[node] fn mend(_: Failure<A>) -> C { C {} }
#[node] fn tend(_: Failure<B>) -> C { C {} }
#[node] fn rend(_: Failure<Ask>) -> C { C {} }

#[flow]
fn story(a: A) -> C { flow! { ask -> then -> done; catch(ask) -> mend -> done; catch(then) -> tend -> done } }

#[flow]
fn short(ask: Ask) -> C { flow! { Ask; catch(Ask) -> rend } }

pub fn main() {}
