use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[state] struct E {}
#[state] struct F {}
#[node] fn read(_: A) -> Either<B, C> { Either::Left(B {}) }
#[node] fn b(_: B) -> D { D {} }
#[node] fn c(_: C) -> E { E {} }
#[node] fn close(_: Either<D, E>) -> F { F {} }

#[flow]
fn story(a: A) -> F { flow! { read -> either(b, c) -> join(close) } }

pub fn main() {}
