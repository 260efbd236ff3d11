use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[node] fn many(_: A) -> Result<Vec<B>, std::fmt::Error> { Ok(vec![]) }

fn main() {}
