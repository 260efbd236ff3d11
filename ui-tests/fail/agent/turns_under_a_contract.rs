use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

/// You answer.
#[agent(model = "openai://m", output = B, turns(max = 5), contract)]
fn ask(_: &A) -> String { String::new() }

fn main() {}
