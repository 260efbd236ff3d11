use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[node] fn read(_: A) -> B { B {} }

#[flow]
fn story(a: A) -> B { flow! { START -> read } }

fn main() {}
