use pravah_runtime::prelude::*;

#[state] struct A {}
struct B {}

#[node]
fn read(_: &A) -> Result<Either<A, B>, std::fmt::Error> { Ok(Either::Right(B {})) }

fn main() {}
