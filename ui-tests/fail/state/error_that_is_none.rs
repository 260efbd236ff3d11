use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
struct Oops;

#[node]
fn read(_: A) -> Result<B, Oops> { Err(Oops) }

fn main() {}
