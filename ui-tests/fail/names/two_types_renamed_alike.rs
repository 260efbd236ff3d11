use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] #[serde(rename = "A")] struct B {}
#[state] struct C {}
#[node] fn read(_: A) -> C { C {} }
#[node] fn write(_: C) -> B { B {} }

#[flow]
fn story(a: A) -> B { flow! { read -> write } }

fn main() {}
