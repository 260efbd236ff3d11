use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[node] fn read(_: A) -> Either<B, C> { Either::Left(B {}) }
#[node] fn b(_: B) -> D { D {} }
#[node] fn c(_: C) -> D { D {} }

#[flow]
fn story(a: A) -> D { flow! { read -> either(b, c,) } }

pub fn main() {}
