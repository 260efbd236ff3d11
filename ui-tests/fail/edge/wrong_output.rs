use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node] fn read(_: A) -> B { B {} }

#[flow]
fn story(a: A) -> C { flow! { read } }

fn main() {}
