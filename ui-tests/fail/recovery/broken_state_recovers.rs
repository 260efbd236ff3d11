use pravah_runtime::prelude::*;

#[state] struct A<T> { items: Vec<T> }
#[state] struct B {}
#[state] struct C {}
#[node] fn read(_: &A<u8>) -> B { B {} }
#[node] fn write(_: B) -> C { C {} }
#[node] fn start(_: C) -> A<u8> { A { items: vec![] } }

#[flow]
fn story(b: B) -> B { flow! { write -> start -> read } }

fn call() -> C { write(read(&A { items: vec![] })) }

fn main() {}
