use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[state] struct E {}
#[node] fn read(_: A) -> Either<B, C> { Either::Left(B {}) }
#[node] fn b(_: B) -> D { D {} }
#[node] fn c(_: C) -> D { D {} }
#[node] fn close(_: D) -> E { E {} }

#[flow]
fn story(a: A) -> E { flow! { read -> either(b, c) -> close } }

pub fn main() {}
