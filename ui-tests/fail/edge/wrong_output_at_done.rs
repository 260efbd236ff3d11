use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[node] fn read(_: A) -> Either<B, C> { Either::Left(B {}) }
#[node] fn write(_: C) -> D { D {} }

#[flow]
fn story(a: A) -> D { flow! { read -> either(done, write) } }

fn main() {}
