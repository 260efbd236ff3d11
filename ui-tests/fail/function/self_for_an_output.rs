use pravah_runtime::prelude::*;

#[state] struct A {}

#[node]
fn read(_: A) -> Self { A {} }

fn main() {}
