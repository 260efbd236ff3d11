use pravah_runtime::prelude::*;

#[state] struct A {}

#[node]
fn read(_: A, _: A, _: A, _: A, _: A, _: A, _: A, _: A, _: A, _: A, _: A, _: A, _: A) -> A { A {} }

fn main() {}
