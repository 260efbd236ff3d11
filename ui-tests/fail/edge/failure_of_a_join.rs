use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[node] fn split(_: A) -> (B, C) { (B {}, C {}) }
#[node] fn mix(_: B, _: C) -> D { D {} }
#[node] fn rescue(_: Failure<B>) -> D { D {} }

#[flow]
fn story(a: A) -> D { flow! { split -> fork(join(mix), join(mix)); catch(mix) -> rescue } }

fn main() {}
