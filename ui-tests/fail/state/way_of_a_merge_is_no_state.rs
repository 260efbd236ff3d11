use pravah_runtime::prelude::*;

#[state] struct A {}
struct B {}
#[state] struct C {}

#[node]
fn read(_: Either<A, B>) -> C { C {} }

fn main() {}
