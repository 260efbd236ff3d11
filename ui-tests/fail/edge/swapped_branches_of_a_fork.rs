use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[node] fn split(_: A) -> (B, C) { (B {}, C {}) }
#[node] fn b(_: B) -> A { A {} }
#[node] fn c(_: C) -> D { D {} }
#[node] fn meet(_: A, _: D) -> D { D {} }

#[flow]
fn story(a: A) -> D { flow! { split -> fork(c, b) -> join(meet) } }

fn main() {}
