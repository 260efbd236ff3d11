use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[node] fn many(_: A) -> Each<B> { Each::from(vec![]) }
#[node] fn one(_: C) -> D { D {} }
#[node] fn sum(_: Each<D>) -> C { C {} }

#[flow]
fn story(a: A) -> C { flow! { many -> each(one) -> sum } }

fn main() {}
