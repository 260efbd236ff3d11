use pravah_runtime::prelude::*;

#[state] struct A {}

#[flow]
impl Clone for A { fn clone(&self) -> A { A {} } }

fn main() {}
