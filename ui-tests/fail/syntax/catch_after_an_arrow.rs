use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node] fn read(_: A) -> B { B {} }
#[node] fn write(_: B) -> C { C {} }

#[flow]
fn story(a: A) -> C { flow! { read -> write -> done; write -> catch -> rescue } }

fn main() {}
