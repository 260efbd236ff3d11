use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

const NONE: u32 = 0;

/// You answer.
#[agent(model = "openai://m", output = B, turns(max = NONE))]
fn ask(_: &A) -> String { String::new() }

fn main() {}
