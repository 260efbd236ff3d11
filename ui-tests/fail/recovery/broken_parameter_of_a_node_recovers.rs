use pravah_runtime::prelude::*;

#[state] struct A { text: String }
#[state] struct B {}
#[node] fn read(a) -> B { B {} }

#[flow]
fn story(a: A) -> B { flow! { read } }

fn main() {}
