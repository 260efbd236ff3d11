use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[state] struct E {}
#[state] struct F {}
#[node] fn split(_: A) -> (B, C) { (B {}, C {}) }
#[node] fn b(_: B) -> D { D {} }
#[node] fn c(_: F) -> E { E {} }
#[node] fn mix(_: D, _: E) -> Paper { Paper {} }
#[state] struct Paper {}

#[flow]
fn story(a: A) -> Paper { flow! { split -> fork(b, c) -> join(mix) } }

fn main() {}
