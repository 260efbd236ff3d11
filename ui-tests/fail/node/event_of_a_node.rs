use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[node(event = "paid")]
fn wait(_: A) -> B { B {} }

fn main() {}
