use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[node(retry(max_attempts = 3, factor = 2.0, jitter))]
fn read(_: A) -> B { B {} }

fn main() {}
