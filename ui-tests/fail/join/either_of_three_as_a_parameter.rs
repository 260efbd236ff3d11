use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[node] fn meet(_: Either<A, B, C>) -> D { D {} }

fn main() {}
