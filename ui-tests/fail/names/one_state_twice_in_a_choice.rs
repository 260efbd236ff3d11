use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[node]
fn read(_: A) -> Either<B, B> { Either::Left(B {}) }

fn main() {}
