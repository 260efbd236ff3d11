use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

/// Plans.
#[agent(model = "openai://m", output = B, multi_turn(max = 5))]
fn plan(_: &A) -> String { String::new() }

fn main() {}
