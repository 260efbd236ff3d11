use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node]
fn read(a: A) -> Either<A, Either<B, C>> { Either::Left(a) }

fn main() {}
