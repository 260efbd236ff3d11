use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node]
fn read(_: A) -> Either<(A, B), C> { Either::Right(C {}) }

fn main() {}
