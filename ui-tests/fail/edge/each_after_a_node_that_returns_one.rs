use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[node] fn split(_: A) -> B { B {} }
#[node] fn price(c: C) -> C { c }
#[node] fn sum(_: Each<C>) -> D { D {} }

#[flow]
fn story(a: A) -> D { flow! { split -> each(price) -> sum } }

fn main() {}
