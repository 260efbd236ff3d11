use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

/// You answer.
#[agent(model = "openai://m", output = B, turns(5))]
fn ask(_: &A) -> String { String::new() }

fn main() {}
