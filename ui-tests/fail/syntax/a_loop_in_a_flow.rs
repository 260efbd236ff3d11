use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node] fn review(_: A) -> Either<B, C> { Either::Left(B {}) }
#[node] fn revise(_: C) -> A { A {} }

#[flow]
fn story(a: A) -> B { flow! { loop(review, revise) } }

fn main() {}
