use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[agent(model = "openai://gpt-4o-mini", preamble = "You answer.", output = B)]
fn ask(_: &A) {}

fn main() {}
