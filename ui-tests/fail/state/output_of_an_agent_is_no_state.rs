use pravah_runtime::prelude::*;

#[state] struct A {}
struct B {}

/// You answer.
#[agent(model = "openai://gpt-4o-mini", output = B)]
fn ask(_: &A) -> String { String::new() }

fn main() {}
