use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[node]
fn read(_: A) -> Either<Self, B> { Either::Right(B {}) }

fn main() {}
