use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node] fn read(_: A) -> Either<B, C> { Either::Left(B {}) }
#[node] fn b(_: B) -> C { C {} }
#[node] fn c(_: C) -> C { C {} }

#[flow]
fn story(a: A) -> C { flow! { read -> either(b, c) } }

fn main() {}
