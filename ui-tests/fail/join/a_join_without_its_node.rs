use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node] fn split(_: A) -> (B, C) { (B {}, C {}) }
#[node] fn one(b: B) -> B { b }
#[node] fn two(c: C) -> C { c }
#[node] fn merge(_: B, _: C) -> A { A {} }

#[flow]
fn story(a: A) -> A { flow! { split -> fork(one, two) -> join -> merge } }

fn main() {}
