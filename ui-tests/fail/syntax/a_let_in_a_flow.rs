use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[node] fn read(_: A) -> B { B {} }
#[node] fn one(_: B) -> D { D {} }

#[flow]
fn story(a: A) -> D { flow! { let b = read; b -> one } }

fn main() {}
