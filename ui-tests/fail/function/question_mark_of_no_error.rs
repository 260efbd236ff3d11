use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[derive(Debug)]
struct Oops;

fn fails() -> Result<(), Oops> { Err(Oops) }

#[node]
fn read(_: A) -> Result<B, FlowError> { fails()?; Ok(B {}) }

fn main() {}
