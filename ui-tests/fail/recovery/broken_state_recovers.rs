use pravah_runtime::prelude::*;

#[state] struct A<T> { items: Vec<T> }
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[node] fn write(_: B) -> C { C {} }
#[node] fn start(_: C) -> A<u8> { A { items: vec![] } }
#[node] fn read(_: &A<u8>) -> D { D {} }

#[flow]
fn story(b: B) -> D { flow! { write -> start -> read } }

fn call() -> D { read(&start(write(B {}))) }

fn main() {}
