use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node] fn read(_: A, _: Http) -> B { B {} }

#[flow(only("network"))]
fn story(a: A) -> B { flow! { read } }

fn main() {}
