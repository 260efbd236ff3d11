use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[node(retry(max_attempts = 3, backoff = "1m"), total_timeout = "30s")]
fn read(_: A) -> B { B {} }

fn main() {}
