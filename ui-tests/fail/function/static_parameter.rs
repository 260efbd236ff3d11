use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[node]
fn read(_: &'static A) -> B { B {} }

fn main() {}
