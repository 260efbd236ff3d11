use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node(timeout = "30s", retry(max_attempts = 0, backoff = "1s"))] fn read(_: A) -> B { B {} }
#[node] fn write(_: B) -> C { C {} }

#[flow]
fn story(a: A) -> C { flow! { read -> write } }

fn main() { let _ = story; }
