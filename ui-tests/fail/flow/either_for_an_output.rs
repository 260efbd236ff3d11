use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[node] fn pick(_: A) -> Either<B, C> { Either::Left(B {}) }

#[flow]
fn story(a: A) -> Either<B, C> { flow! { pick -> either(done, done) } }

fn main() {}
