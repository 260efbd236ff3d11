use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[agent(model = "openai://m", preamble = "P", output = B, reasoning = "2000")]
fn ask(_: &A) -> String { String::new() }

fn main() {}
