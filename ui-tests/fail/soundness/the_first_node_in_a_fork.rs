use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node] fn split(_: A) -> (A, B) { (A {}, B {}) }
#[node] fn b(_: B) -> C { C {} }

#[flow]
fn story(a: A) -> C { flow! { split -> fork(split, b) } }

fn main() {}
