use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[node(timeout = "99999999999999999h")]
fn read(_: A) -> B { B {} }

fn main() {}
