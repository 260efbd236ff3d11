use pravah_runtime::prelude::*;

struct A {}
#[state] struct B {}
#[state] struct C {}
#[node] fn read(_: &A) -> B { B {} }
#[node] fn write(_: B) -> C { C {} }
#[node] fn start(_: C) -> A { A {} }

#[flow]
fn story(c: C) -> C { flow! { start -> read -> write } }

fn call() -> C { write(read(&A {})) }

fn main() {}
