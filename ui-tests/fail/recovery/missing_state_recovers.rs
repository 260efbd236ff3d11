use pravah_runtime::prelude::*;

struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[node] fn start(_: B) -> C { C {} }
#[node] fn read(_: C) -> A { A {} }
#[node] fn write(_: D) -> D { D {} }

#[flow]
fn story(b: B) -> D { flow! { start -> read -> write } }

fn call() -> A { read(start(B {})) }

fn main() {}
