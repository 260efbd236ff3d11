use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[state] struct E {}
#[node] fn split(_: A) -> (B, C) { (B {}, C {}) }
#[node] fn b(_: B) -> Either<D, E> { Either::Left(D {}) }
#[node] fn mix(_: D, _: C) -> Paper { Paper {} }
#[node] fn e(_: E) -> Paper { Paper {} }
#[state] struct Paper {}

#[flow]
fn story(a: A) -> Paper { flow! { split -> fork(b -> either(join(mix), e), join(mix)) } }

fn main() {}
