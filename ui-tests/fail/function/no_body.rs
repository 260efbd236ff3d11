use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[node] fn read(a: A) -> B;

#[flow]
fn story(a: A) -> B { flow! { read } }

fn main() {}
