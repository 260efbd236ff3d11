use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[node] fn read(_: A, _: Files) -> B { B {} }

#[flow(only(file))]
fn story(a: A) -> B { flow! { read } }

fn main() {}
