use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[node] fn pick(_: A) -> Either<B, C> { Either::Left(B {}) }
#[node] fn one(_: B) -> D { D {} }
#[node] fn two(_: C) -> D { D {} }

#[flow]
fn story(a: A) -> D { flow! { pick -> either one, two } }

fn main() {}
