use pravah_runtime::prelude::*;

#[state] struct B {}
#[state] struct C {}

/// You decide.
#[agent(model = "openai://gpt-4o-mini", output = B, contract(suppress_below = 0.6))]
struct Ask { what: String }
#[node] fn file(b: B) -> C { let _ = b; C {} }

#[flow]
fn story(ask: Ask) -> C { flow! { Ask -> file } }

fn main() {}
