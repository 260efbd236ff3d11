use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[node] fn read(_: A) -> Either<B, C> { Either::Left(B {}) }
#[node] fn left(_: B) -> D { D {} }
#[node] fn right(_: C) -> D { D {} }

#[flow]
fn story(a: A) -> D { flow! { read -> left | right } }

fn main() {}
