use pravah_runtime::prelude::*;


#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node] fn a(_: &A) -> B { B {} }
#[node] fn b(_: &A) -> B { B {} }
#[node] fn mix(_: B, _: B) -> C { C {} }

#[flow]
fn story(input: A) -> C { flow! { fork(a, b) -> join(mix) } }

pub fn main() {}
