use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
fn model() -> u32 { 4 }

#[agent(model = model(), preamble = "You answer.", output = B)]
fn ask(_: &A) -> String { String::new() }

fn main() {}
