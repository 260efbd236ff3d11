use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[node] fn report(_: A, _: Latest<Vec<B>>) -> B { B {} }

#[flow]
fn story(a: A) -> B { flow! { report } }

fn main() {}
