use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[state] struct E {}
#[node] fn split(_: A) -> (B, C) { (B {}, C {}) }
#[node] fn check(_: B) -> Either<D, E> { Either::Left(D {}) }
#[node] fn mix(_: D, _: C) -> E { E {} }

#[flow]
fn story(a: A) -> E { flow! { split -> fork(check -> either(join(mix), done), join(mix)) } }

fn main() {}
