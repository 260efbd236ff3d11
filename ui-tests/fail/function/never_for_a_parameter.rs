use pravah_runtime::prelude::*;

#[state] struct B {}

#[node]
fn read(_: !) -> B { B {} }

fn main() {}
