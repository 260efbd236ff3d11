use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node]
fn sort(_: A) -> Result<B, C> { Ok(B {}) }

fn main() {}
