use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[agent(model = "openai://m", preamble = "P", output = B, tool_choice = required)]
fn ask(_: &A) -> String { String::new() }

fn main() {}
