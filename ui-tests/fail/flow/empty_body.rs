use pravah_runtime::prelude::*;

#[state] struct A {}

#[flow]
fn story(a: A) -> A {}

fn main() {}
