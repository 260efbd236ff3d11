use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[node(timeout = "30s")]
fn read(_: A) -> B { B {} }

fn main() {}
