use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[flow]
impl Flow for A { type Output = B; }

fn main() {}
