use pravah_runtime::prelude::*;

const TRIES: u32 = 0;

#[state] struct A {}
#[state] struct B {}

#[node(retry(max_attempts = TRIES))]
fn read(_: A) -> B { B {} }

fn main() {}
