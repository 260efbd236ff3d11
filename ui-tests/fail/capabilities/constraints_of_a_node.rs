use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[node(constraints(no_network))]
fn read(_: A) -> B { B {} }

fn main() {}
