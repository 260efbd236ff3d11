use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[state] struct E {}
#[node] fn split(_: A) -> (B, C) { (B {}, C {}) }
#[node] fn b(_: B) -> D { D {} }
#[node] fn mend(_: Failure<B>) -> E { E {} }
#[node] fn mix(_: D, _: C) -> E { E {} }

#[flow]
fn story(a: A) -> E { flow! { split -> fork(b -> join(mix), join(mix)); catch(b) -> mend } }

fn main() {}
