use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[state] struct E {}
#[state] struct F {}
#[node] fn split(_: A) -> (B, C) { (B {}, C {}) }
#[node] fn b(_: B) -> Either<D, E> { Either::Left(D {}) }
#[node] fn d(_: D) -> F { F {} }
#[node] fn e(_: E) -> F { F {} }
#[node] fn mix(_: F, _: C) -> End { End {} }
#[state] struct End {}

#[flow]
fn story(a: A) -> End { flow! { split -> fork(b -> either(d, e) -> join(mix), join(mix)) } }

pub fn main() {}
