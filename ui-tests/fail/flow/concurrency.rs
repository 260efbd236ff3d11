use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[node] fn read(a: A) -> A { a }
#[node] fn write(_: A) -> B { B {} }
#[flow(concurrency = 8)] fn story(a: A) -> B { flow! { read -> write } }

fn main() {}
