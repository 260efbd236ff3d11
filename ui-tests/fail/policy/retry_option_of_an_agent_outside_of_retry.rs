use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[agent(model = "openai://gpt-4o-mini", preamble = "You decide.", output = B, max_attempts = 3)]
fn ask(_: &A) -> String { String::new() }

fn main() {}
