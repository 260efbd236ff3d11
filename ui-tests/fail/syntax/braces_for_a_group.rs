use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[node] fn read(a: A) -> Either<A, B> { Either::Left(a) }
#[node] fn write(_: A) -> B { B {} }
#[flow] fn story(a: A) -> B { flow! { read -> { write, done } } }

fn main() {}
