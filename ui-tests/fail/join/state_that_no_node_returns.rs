use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct Label {}
#[state] struct C {}
#[node] fn read(_: A) -> B { B {} }
#[node] fn ship(_: B, _: Label) -> C { C {} }

#[flow]
fn story(a: A) -> C { flow! { read -> ship } }

fn main() {}
