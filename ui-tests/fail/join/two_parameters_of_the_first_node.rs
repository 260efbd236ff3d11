use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node] fn mix(_: A, _: B) -> C { C {} }

#[flow]
fn story(a: A) -> C { flow! { mix } }

fn main() {}
