use pravah_runtime::prelude::*;

#[state] struct A {}
struct B {}

#[node]
fn read(_: &Each<B>) -> A { A {} }

fn main() {}
