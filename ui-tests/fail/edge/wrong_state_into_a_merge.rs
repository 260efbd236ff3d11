use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[state] struct E {}
#[node] fn read(_: A) -> Either<B, C> { Either::Left(B {}) }
#[node] fn b(_: B) -> D { D {} }
#[node] fn merge(_: Either<D, E>) -> A { A {} }
#[node] fn e(_: C) -> B { B {} }

#[flow]
fn story(a: A) -> A { flow! { read -> either(b, e) -> merge } }

fn main() {}
