use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[node(timeout = "30s", backoff = "200ms")]
fn read(_: A) -> B { B {} }

fn main() {}
