use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[node(retyr(max_attempts = 3))]
fn read(_: A) -> B { B {} }

fn main() {}
