use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[node] fn many(_: A) -> Each<B> { Each::from(vec![]) }
#[node] fn one(_: B) -> (C, D) { (C {}, D {}) }
#[node] fn c(_: C) -> A { A {} }
#[node] fn d(_: D) -> A { A {} }
#[node] fn sum(_: Each<A>) -> D { D {} }

#[flow]
fn story(a: A) -> D { flow! { many -> each(one -> fork(c, d)) -> sum } }

fn main() {}
