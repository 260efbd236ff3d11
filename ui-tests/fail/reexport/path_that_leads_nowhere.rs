use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[node(crate = pravah)]
fn read(_: A) -> B { B {} }

fn main() {}
