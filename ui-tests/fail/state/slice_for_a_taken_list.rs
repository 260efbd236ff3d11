use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[node] fn all(_: &[A]) -> B { B {} }

fn main() {}
