use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[agent(model = "openai://m", preamble = "P", output = B, reasoning = "high")]
fn ask(_: &A) -> String { String::new() }

fn main() {}
