use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[choice] enum Which { One(B), Other(B) }

#[node]
fn read(_: A) -> Which { Which::One(B {}) }

fn main() {}
