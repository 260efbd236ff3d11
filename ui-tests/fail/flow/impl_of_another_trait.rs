use pravah_runtime::prelude::*;

#[state] struct A {}

#[flow]
impl Default for A { fn default() -> A { A {} } }

fn main() {}
