use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[node] fn read(_: A) -> B { B {} }
#[node] fn write(_: B) -> A { A {} }

#[flow]
fn story(a: A) -> B { flow! { read } }

#[flow]
fn story(b: B) -> A { flow! { write } }

fn main() {}
