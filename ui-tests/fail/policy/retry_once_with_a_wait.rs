use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[node(retry(max_attempts = 1, backoff = "200ms"))]
fn read(_: A) -> B { B {} }

fn main() {}
