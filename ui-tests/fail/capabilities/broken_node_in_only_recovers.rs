use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

struct Pool;
#[node] fn read(_: A, _: Pool, _: Commands) -> B { B {} }

#[flow(only(files))]
fn story(a: A) -> B { flow! { read } }

fn main() {}
