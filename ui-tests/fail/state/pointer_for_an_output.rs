use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[node]
fn read(_: A) -> Box<B> { Box::new(B {}) }

fn main() {}
