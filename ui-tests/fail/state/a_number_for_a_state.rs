use pravah_runtime::prelude::*;

#[state] struct A {}

#[node]
fn read(_: A) -> u32 { 1 }

fn main() {}
