use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[node(retry(max_attempts = 3, backoff = "200ms", factor = 2.0, max_backoff = "5s", jitter))]
fn read(_: A) -> B { B {} }

fn main() {}
