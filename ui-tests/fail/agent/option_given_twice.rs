use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

/// You answer.
#[agent(model = "openai://gpt-4o-mini", output = B, output = A)]
fn ask(_: &A) -> String { String::new() }

fn main() {}
