use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[node] fn read(_: A, _: Context) -> B { B {} }

#[flow(only(files, deps))]
fn story(a: A) -> B { flow! { read } }

fn main() {}
