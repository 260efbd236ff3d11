use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[node] fn read(_: A) -> Either<B, A> { Either::Left(B {}) }
#[node] fn write(_: A) -> B { B {} }
#[flow] fn story(a: A) -> B { flow! { read -> either(Either::Left(b) => done, A => write) } }

fn main() {}
