use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[state] struct E {}
#[node] fn split(_: A) -> (B, C) { (B {}, C {}) }
#[node] fn c(_: C) -> D { D {} }
#[node] fn b(_: B) -> E { E {} }
#[node] fn mix(_: D, _: Paper) -> End { End {} }
#[state] struct Paper {}
#[state] struct End {}

#[flow]
fn story(a: A) -> End { flow! { split -> fork(b, c) -> join(mix) } }

fn main() {}
