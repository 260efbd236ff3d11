use pravah_runtime::prelude::*;

#[state(manual(Clone))] struct A {}
#[state] struct C {}
#[state] struct D {}
#[node] fn one(_: &A) -> C { C {} }
#[node] fn two(_: A) -> C { C {} }
#[node] fn mix(_: C, _: C) -> D { D {} }

#[flow]
fn story(a: A) -> D { flow! { fork(one, two) -> join(mix) } }

fn main() {}
