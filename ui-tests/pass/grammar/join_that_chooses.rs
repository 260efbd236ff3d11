use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[state] struct E {}
#[state] struct F {}
#[node] fn split(_: A) -> (B, C) { (B {}, C {}) }
#[node] fn mix(_: B, _: C) -> Either<D, E> { Either::Left(D {}) }
#[node] fn d(_: D) -> F { F {} }
#[node] fn e(_: E) -> F { F {} }

#[flow]
fn story(a: A) -> F { flow! { split -> fork(join(mix), join(mix)); mix -> either(d, e) } }

pub fn main() {}
