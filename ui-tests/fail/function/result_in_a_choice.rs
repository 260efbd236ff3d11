use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[node]
fn read(_: A) -> Either<Result<A, FlowError>, B> { Either::Right(B {}) }

fn main() {}
