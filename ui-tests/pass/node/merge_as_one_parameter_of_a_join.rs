use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[state] struct E {}
#[state] struct F {}
#[node] fn split(_: A) -> (B, C) { (B {}, C {}) }
#[node] fn b(_: B) -> Either<D, E> { Either::Left(D {}) }
#[node] fn mix(_: C, _: Either<D, E>) -> F { F {} }

#[flow]
fn story(a: A) -> F { flow! { split -> fork(b -> either(join(mix), join(mix)), join(mix)) } }

pub fn main() {}
