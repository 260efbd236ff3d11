use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[node]
fn read(_: A) -> Result<B, impl std::error::Error> { Ok::<_, std::fmt::Error>(B {}) }

fn main() {}
