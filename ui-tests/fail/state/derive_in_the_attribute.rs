use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[state(derive(PartialEq))] struct C {}

fn main() {}
