use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node] fn read(_: A) -> B { B {} }
#[node] fn write(_: B) -> C { C {} }
#[flow] fn inner(a: B) -> C { flow! { write } }

#[flow]
fn outer(a: A) -> C { flow! { read -> inner } }

pub fn main() {}
