use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] pub struct B {}
#[node] fn read(_: A) -> B { B {} }

#[flow(named)]
pub fn story(a: A) -> B { flow! { read } }

fn main() {}
