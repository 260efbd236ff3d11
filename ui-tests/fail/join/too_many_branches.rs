use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[state] struct E {}
#[node] fn split(_: A) -> (B, C, D) { (B {}, C {}, D {}) }
#[node] fn mix(_: B, _: C) -> E { E {} }

#[flow]
fn story(a: A) -> E { flow! { split -> fork(join(mix), join(mix), join(mix)) } }

fn main() {}
