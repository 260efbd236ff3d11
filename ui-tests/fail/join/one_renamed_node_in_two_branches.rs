use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node] fn split(_: A) -> (B, B) { (B {}, B {}) }
#[node] fn count(b: B) -> B { b }
#[node] fn publish(_: B, _: B) -> C { C {} }

#[flow]
fn story(a: A) -> C { flow! { split -> fork(count as one, count as one) -> join(publish) } }

fn main() {}
