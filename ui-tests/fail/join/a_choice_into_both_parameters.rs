use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node] fn x(_: A) -> Either<B, C> { Either::Left(B {}) }
#[node] fn y(_: B, _: C) -> A { A {} }

#[flow]
fn story(a: A) -> A { flow! { x -> y } }

fn main() {}
