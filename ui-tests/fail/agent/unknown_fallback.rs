use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[agent(model = "openai://m", preamble = "P", output = B, fallback = ["antropic://claude-haiku-5-5"])]
fn ask(_: &A) -> String { String::new() }

fn main() {}
