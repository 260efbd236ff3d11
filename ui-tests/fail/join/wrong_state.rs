use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[state] struct E {}
#[node] fn split(_: A) -> (B, C) { (B {}, C {}) }
#[node] fn c(_: C) -> D { D {} }
#[node] fn b(_: B) -> A { A {} }
#[node] fn mix(_: D, _: B) -> E { E {} }

#[flow]
fn story(a: A) -> E { flow! { split -> fork(b, c) -> join(mix) } }

fn main() {}
