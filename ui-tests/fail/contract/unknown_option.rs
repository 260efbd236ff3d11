use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[agent(model = "openai://gpt-4o-mini", preamble = "You decide.", output = B, contract(approve_above = 0.9))]
fn ask(_: &A) -> String { String::new() }

fn main() {}
