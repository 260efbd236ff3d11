use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node(max_visits = 2)] fn read(_: A) -> B { B {} }
#[node] fn write(_: B) -> C { C {} }

#[flow]
fn inner(a: A) -> B { flow! { read } }

#[flow(named)]
fn outer(a: A) -> C { flow! { inner -> write } }

fn main() {}
