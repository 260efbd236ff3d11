use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

// Its contract is refused: the flow says nothing of it.
#[agent(model = "openai://gpt-4o-mini", preamble = "You decide.", output = B, contract(suppress_below = 2.0))]
fn ask(_: &A) -> String { String::new() }

#[flow]
fn story(a: A) -> B { flow! { ask } }

fn main() {}
