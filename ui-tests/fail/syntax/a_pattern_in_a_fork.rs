use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[node] fn split(_: A) -> (B, C) { (B {}, C {}) }
#[node] fn meet(_: B, _: C) -> D { D {} }

#[flow]
fn story(a: A) -> D { flow! { split -> fork(B => done, done) -> join(meet) } }

fn main() {}
