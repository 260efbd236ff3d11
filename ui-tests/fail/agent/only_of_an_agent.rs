use pravah_runtime::prelude::*;

#[state] struct A { text: String }
#[state] struct B {}

/// You read.
#[agent(model = "openai://m", output = B, only(deps))]
fn read(a: &A) -> String { a.text.clone() }

fn main() {}
