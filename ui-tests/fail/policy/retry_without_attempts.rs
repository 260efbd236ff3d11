use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[node(retry(backoff = "200ms"))]
fn read(_: A) -> B { B {} }

fn main() {}
