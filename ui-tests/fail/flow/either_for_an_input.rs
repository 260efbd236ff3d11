use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[node] fn meet(_: Either<A, B>) -> D { D {} }

#[flow]
fn story(a: Either<A, B>) -> D { flow! { meet } }

fn main() {}
