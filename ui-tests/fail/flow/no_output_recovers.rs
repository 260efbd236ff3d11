use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[node] fn read(_: A) -> B { B {} }
#[flow] fn story(a: A) { flow! { read } }
#[flow(named)] fn around(a: A) -> B { flow! { story } }
fn main() {}
