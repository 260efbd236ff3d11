use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[node] fn split(_: A) -> (Each<B>, C) { (Each::from(vec![]), C {}) }
#[node] fn c(_: C) -> Each<B> { Each::from(vec![]) }
#[node] fn one(_: B) -> D { D {} }
#[node] fn sum(_: Each<D>) -> A { A {} }

#[flow]
fn story(a: A) -> A { flow! { split -> fork(each(one), c -> each(one)) -> sum } }

fn main() {}
