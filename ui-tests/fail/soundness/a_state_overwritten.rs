use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[node] fn split(_: A) -> (B, C) { (B {}, C {}) }
#[node] fn again(_: B) -> Either<A, D> { Either::Left(A {}) }
#[node] fn mix(_: C, _: D) -> E { E {} }
#[state] struct E {}

#[flow]
fn story(a: A) -> E { flow! { split -> fork(again -> either(split, join(mix)), join(mix)) } }

fn main() {}
