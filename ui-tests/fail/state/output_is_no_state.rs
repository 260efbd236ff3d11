use pravah_runtime::prelude::*;

#[state] struct A {}
struct B {}

#[node]
fn read(_: A) -> B { B {} }

fn main() {}
