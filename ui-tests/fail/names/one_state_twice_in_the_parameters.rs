use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[node]
fn mix(_: A, _: Either<B, A>) -> B { B {} }

fn main() {}
