use pravah_runtime::prelude::*;

#[state] struct A {}
#[node] fn read(a: A) -> A { a }

#[flow]
fn story(a: A) -> A { flow! { read } }

fn main() {}
