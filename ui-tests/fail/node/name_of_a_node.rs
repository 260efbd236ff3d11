use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[node(name = "reader")]
fn read(_: A) -> B { B {} }

fn main() {}
