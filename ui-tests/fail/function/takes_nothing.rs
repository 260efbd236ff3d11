use pravah_runtime::prelude::*;

#[state] struct B {}

#[node]
fn read() -> B { B {} }

fn main() {}
