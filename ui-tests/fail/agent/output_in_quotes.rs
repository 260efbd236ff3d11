use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[agent(model = "openai://m", preamble = "Answer.", output = "B")]
fn ask(_: &A) -> String { String::new() }

fn main() {}
