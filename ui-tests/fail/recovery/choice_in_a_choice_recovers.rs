use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node] fn read(a: A) -> Either<A, Either<B, C>> { Either::Left(a) }
#[node] fn write(_: B) -> C { C {} }

#[flow]
fn story(a: A) -> C { flow! { read -> either(read, write, done) } }

fn main() {}
