use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[node(retry(max_attempts = 3, backoff = "5s", max_backoff = "1s"))]
fn read(_: A) -> B { B {} }

fn main() {}
