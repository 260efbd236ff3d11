use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[node] fn pick(_: A) -> Either<B> { Either::Left(B {}) }

fn main() {}
