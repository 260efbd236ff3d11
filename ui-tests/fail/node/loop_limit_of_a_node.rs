use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[node(loop_limit = 3)]
fn read(_: A) -> B { B {} }

fn main() {}
