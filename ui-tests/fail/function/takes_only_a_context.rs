use pravah_runtime::prelude::*;

#[state] struct B {}

#[node]
fn read(_: Context) -> B { B {} }

fn main() {}
