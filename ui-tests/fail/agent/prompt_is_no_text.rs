use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[agent(model = "openai://gpt-4o-mini", preamble = "You answer.", output = B)]
fn ask(_: &A) -> u32 { 1 }

fn main() {}
