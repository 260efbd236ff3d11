use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[node] fn read(_: A) -> Either<A, B> { Either::Right(B {}) }

#[flow]
fn story(a: A) -> B { flow! { read -> either(wrte, done); wrte -> read } }

fn main() {}
