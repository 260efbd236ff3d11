use pravah_runtime::prelude::*;

#[state] struct A {}

#[node]
fn read(_: &str) -> A { A {} }

fn main() {}
