use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node]
fn read(a: A) -> (Either<A, B>, C) { (Either::Left(a), C {}) }

fn main() {}
