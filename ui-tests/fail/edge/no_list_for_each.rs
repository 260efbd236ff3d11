use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[node] fn one(_: A) -> B { B {} }
#[node] fn two(_: B) -> C { C {} }
#[node] fn sum(_: Each<C>) -> D { D {} }

#[flow]
fn story(a: A) -> D { flow! { one -> each(two) -> sum } }

fn main() {}
