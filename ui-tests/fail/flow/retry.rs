use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[node] fn read(_: A) -> B { B {} }

#[flow(retry(max_attempts = 3))]
fn story(a: A) -> B { flow! { read } }

fn main() {}
