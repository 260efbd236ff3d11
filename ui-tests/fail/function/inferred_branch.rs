use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[node]
fn read(_: A) -> Either<_, B> { Either::Right::<B, B>(B {}) }

fn main() {}
