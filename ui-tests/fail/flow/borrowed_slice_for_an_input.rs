use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[node] fn read(_: A) -> B { B {} }
#[flow] fn story(all: &[A]) -> B { flow! { read } }

fn main() {}
