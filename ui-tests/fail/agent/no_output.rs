use pravah_runtime::prelude::*;

#[state] struct A {}

#[agent(model = "openai://gpt-4o-mini", preamble = "You answer.")]
fn ask(_: &A) -> String { String::new() }

fn main() {}
