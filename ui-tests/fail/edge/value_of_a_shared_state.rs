use pravah_runtime::prelude::*;

#[state] struct A {}
#[state(manual(Clone))] struct B {}
#[state] struct C {}
#[state] struct D {}
#[node] fn plan(_: A) -> B { B {} }
#[node] fn one(_: &B) -> C { C {} }
#[node] fn two(_: B) -> C { C {} }
#[node] fn mix(_: C, _: C) -> D { D {} }

#[flow]
fn story(a: A) -> D { flow! { plan -> fork(one, two) -> join(mix) } }

fn main() {}
