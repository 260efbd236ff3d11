use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[agent(model = "openai://gpt-4o-mini", preamble = "You decide.", output = B, timeout = 30)]
fn ask(_: &A) -> String { String::new() }

fn main() {}
