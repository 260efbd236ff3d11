use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[agent(model = "anthropic://claude-haiku-4-5", preamble = "You decide.", output = B, contract(confidence = token_level))]
fn ask(_: &A) -> String { String::new() }

fn main() {}
