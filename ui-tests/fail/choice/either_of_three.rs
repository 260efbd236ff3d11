use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[node] fn pick(_: A) -> Either<B, C, D> { Either::Left(B {}) }
#[node] fn b(_: B) -> D { D {} }
#[node] fn c(_: C) -> D { D {} }

#[flow]
fn story(a: A) -> D { flow! { pick -> either(b, c, done) } }

fn main() {}
