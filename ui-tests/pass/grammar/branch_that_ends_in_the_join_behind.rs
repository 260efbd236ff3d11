use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[state] struct E {}
#[node] fn split(_: A) -> (B, C) { (B {}, C {}) }
#[node] fn c(_: C) -> D { D {} }
#[node] fn mix(_: B, _: D) -> E { E {} }

#[flow]
fn story(a: A) -> E { flow! { split -> fork(join(mix), c) -> join(mix) } }

pub fn main() {}
