use pravah_runtime::prelude::*;

#[state] struct A {}

/// You answer.
#[agent(model = "openai://m", output = String)]
fn answer(_: &A) -> String { String::new() }

fn main() {}
