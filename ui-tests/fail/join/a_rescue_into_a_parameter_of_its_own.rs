use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[state] struct E {}
#[node] fn split(_: A) -> (B, C) { (B {}, C {}) }
#[node] fn b(_: B) -> D { D {} }
#[node] fn mend(_: Failure<B>) -> E { E {} }
#[node] fn mix(_: D, _: C, _: E) -> Paper { Paper {} }
#[state] struct Paper {}

#[flow]
fn story(a: A) -> Paper { flow! { split -> fork(b -> join(mix), join(mix)); catch(b) -> mend -> mix } }

fn main() {}
