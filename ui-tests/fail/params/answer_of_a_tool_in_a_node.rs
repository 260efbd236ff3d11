use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[node]
fn read(_: A, _: Resumed<bool>) -> B { B {} }

fn main() {}
