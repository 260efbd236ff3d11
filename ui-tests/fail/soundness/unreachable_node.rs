use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[node] fn read(_: A) -> B { B {} }
#[node] fn lost(_: C) -> D { D {} }
#[node] fn found(_: D) -> B { B {} }

#[flow]
fn story(a: A) -> B { flow! { read; lost -> found } }

fn main() {}
