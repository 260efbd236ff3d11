use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[node] fn read(_: A) -> B { B {} }
#[node] fn write(_: C) -> D { D {} }
#[flow] fn inner(c: C) -> D { flow! { write } }

#[flow]
fn outer(a: A) -> D { flow! { read -> inner } }

fn main() {}
