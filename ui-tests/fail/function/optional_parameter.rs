use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[node]
fn read(_: &A, b: Option<B>) -> B { b.unwrap_or(B {}) }

fn main() {}
