use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node] fn read(_: A) -> Either<B, C> { Either::Left(B {}) }
#[node] fn b(_: B) -> A { A {} }
#[node] fn c(_: C) -> A { A {} }

#[flow]
fn story(a: A) -> A { flow! { read -> b; read -> either(b, c) } }

fn main() {}
