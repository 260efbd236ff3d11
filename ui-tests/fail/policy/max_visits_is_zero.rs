use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[node(max_visits = 0)]
fn read(_: A) -> B { B {} }

fn main() {}
