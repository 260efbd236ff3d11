use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node] fn read(_: A) -> Either<B, A> { Either::Left(B {}) }
#[flow] fn story(a: A) -> B { flow! { read -> either(B: done, A: read) } }
#[flow(named)] fn other(a: A) -> B { flow! { story } }

fn main() {}
