use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[node] fn read(_: &mut A) -> B { B {} }

#[flow]
fn story(a: A) -> B { flow! { read } }

fn call(mut a: A) -> B { read(&mut a) }

fn main() {}
