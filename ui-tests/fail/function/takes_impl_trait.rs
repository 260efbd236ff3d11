use pravah_runtime::prelude::*;

#[state] struct B {}

#[node]
fn read(_: impl State) -> B { B {} }

fn main() {}
