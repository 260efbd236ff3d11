use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[state] struct E {}
#[node] fn read(_: A) -> Either<B, C> { Either::Left(B {}) }
#[node] fn b(_: B) -> D { D {} }
#[node] fn c(_: C) -> Paper { Paper {} }
#[node] fn merge(_: Either<D, E>) -> End { End {} }
#[state] struct Paper {}
#[state] struct End {}

#[flow]
fn story(a: A) -> End { flow! { read -> either(b, c) -> merge } }

fn main() {}
