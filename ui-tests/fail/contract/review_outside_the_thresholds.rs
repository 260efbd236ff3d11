use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[agent(model = "openai://gpt-4o-mini", preamble = "You decide.", output = B, contract(suppress_below = 0.5, review = 0.4..=0.8, auto_approve_above = 0.8))]
fn ask(_: &A) -> String { String::new() }

fn main() {}
