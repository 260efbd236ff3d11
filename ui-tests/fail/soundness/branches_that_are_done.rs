use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node] fn split(_: A) -> (B, C) { (B {}, C {}) }

#[flow]
fn story(a: A) -> B { flow! { split -> fork(done, done) } }

fn main() {}
