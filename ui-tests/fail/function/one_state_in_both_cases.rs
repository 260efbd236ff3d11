use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node] fn mix(_: Either<B, B>) -> C { C {} }

fn main() {}
