use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node] fn read(_: A) -> B { B {} }
#[node] fn write(_: B) -> C { C {} }

#[flow(fail_fast = 0)]
fn inner(a: A) -> B { flow! { read } }

#[flow(named)]
fn outer(a: A) -> C { flow! { inner -> write } }

fn main() { let _ = outer; }
