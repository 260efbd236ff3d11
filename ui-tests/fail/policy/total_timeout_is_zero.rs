use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[node(total_timeout = "0s")]
fn read(_: A) -> B { B {} }

fn main() {}
