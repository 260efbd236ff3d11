use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[gate]
fn ask(_: A, _: bool) -> B { B {} }

fn main() {}
