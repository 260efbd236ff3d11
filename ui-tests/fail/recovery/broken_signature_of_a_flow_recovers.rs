use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node] fn read(_: A) -> B { B {} }
#[node] fn start(_: C) -> A { A {} }
#[flow] fn inner(a: &A) -> B { flow! { read } }

#[flow]
fn outer(c: C) -> B { flow! { start -> inner } }

fn main() {}
