use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[node] fn many(_: A) -> Each<B> { Each::from(vec![]) }
#[node] fn one(_: B) -> C { C {} }
#[node] fn all(_: Vec<C>) -> D { D {} }

#[flow]
fn story(a: A) -> D { flow! { many -> each(one) -> all } }

fn main() {}
