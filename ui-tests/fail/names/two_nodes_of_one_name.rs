use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[node] fn read(_: A) -> B { B {} }
#[node] fn read(_: A) -> B { B {} }

fn main() {}
