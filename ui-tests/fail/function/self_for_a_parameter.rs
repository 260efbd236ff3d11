use pravah_runtime::prelude::*;

#[state] struct B {}

#[node]
fn read(_: Self) -> B { B {} }

fn main() {}
