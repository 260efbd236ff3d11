use pravah_runtime::prelude::*;

#[state] struct A { n: u32 }

#[node(retry(max = 3))]
fn one(a: A) -> Result<A, String> { Ok(a) }

fn main() {}
