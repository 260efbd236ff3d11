use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[node] fn a(_: A) -> B { B {} }
#[node] fn one(_: &B) -> C { C {} }
#[node] fn two(_: &B) -> C { C {} }
#[node] fn three(_: &B) -> C { C {} }
#[node] fn mix(_: C, _: C) -> D { D {} }

#[flow]
fn story(input: A) -> D { flow! { a -> fork(one, two, three) -> join(mix) } }

fn main() {}
