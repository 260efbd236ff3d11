use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
struct C {}

#[node]
fn read(_: A) -> Either<B, C> { Either::Left(B {}) }

fn main() {}
