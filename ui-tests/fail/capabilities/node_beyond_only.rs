use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}

#[node] fn read(_: A, _: Files) -> B { B {} }
#[node] fn run(_: B, _: Commands, _: Step) -> C { C {} }

#[flow(only(files))]
fn story(a: A) -> C { flow! { read -> run } }

fn main() {}
