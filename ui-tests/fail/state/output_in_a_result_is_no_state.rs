use pravah_runtime::prelude::*;

#[state] struct A {}
struct B {}

#[node]
fn read(_: A) -> Result<B, std::io::Error> { Ok(B {}) }

fn main() {}
