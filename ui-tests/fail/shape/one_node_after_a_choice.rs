use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[node] fn read(_: A) -> Either<B, C> { Either::Left(B {}) }
#[node] fn merge(_: Either<B, C>) -> D { D {} }

#[flow]
fn story(a: A) -> D { flow! { read -> merge } }

fn main() {}
