use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node] fn read(_: A) -> B { B {} }
#[node] fn write(_: C) -> A { A {} }
#[flow] fn inner(c: C) -> A { flow! { write } }

#[flow]
fn outer(a: A) -> A { flow! { read -> inner } }

fn main() {}
