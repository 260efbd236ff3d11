use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[node] fn read(_: A) -> Either<B, C> { Either::Left(B {}) }
#[node] fn c(_: C) -> E { E {} }
#[node] fn last(_: D) -> E { E {} }
#[flow]
fn inner(a: A) -> E { flow! { read -> either(missing -> last, c); catch(missing) -> last } }

#[state] struct E {}
#[state] struct F {}
#[node] fn start(_: F) -> A { A {} }
#[flow]
fn outer(f: F) -> E { flow! { start -> inner } }

fn main() {}
