use pravah_runtime::prelude::*;

struct A {}
#[state] struct B {}

#[node]
fn read(_: A) -> B { B {} }

fn main() {}
