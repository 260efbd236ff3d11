use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[node(only(deps))] fn read(_: A) -> B { B {} }

fn main() {}
