use pravah_runtime::prelude::*;


#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[node] fn a(_: A) -> B { B {} }
#[node] fn b(_: &B) -> C { C {} }
#[node] fn c(_: &B) -> C { C {} }
#[node] fn mix(_: C, _: &C) -> D { D {} }

#[flow]
fn story(input: A) -> D { flow! { a -> fork(b, c) -> join(mix) } }

pub fn main() {}
