use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}

#[node] fn read(_: A) -> B { B {} }
#[node] fn read(_: B) -> C { C {} }

fn main() {}
