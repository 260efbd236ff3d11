use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[node] fn rescue(_: Result<A, String>) -> B { B {} }

fn main() {}
