use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[node]
fn read(_: A) -> Result<B, _> { Ok(B {}) }

fn main() {}
