use pravah_runtime::prelude::*;

#[state] struct A {}
struct B {}

#[node]
async fn read(_: &A) -> Result<B, std::fmt::Error> { Ok(B {}) }

fn main() {}
