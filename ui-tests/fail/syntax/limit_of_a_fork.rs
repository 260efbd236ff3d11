use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node] fn read(_: A) -> B { B {} }
#[node] fn write(_: B) -> C { C {} }

#[flow]
fn story(a: A) -> C { flow! { read -> fork(write, write as other, limit = 2) } }

fn main() {}
