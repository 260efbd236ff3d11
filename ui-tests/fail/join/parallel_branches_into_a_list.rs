use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[node] fn split(_: A) -> (B, C) { (B {}, C {}) }
#[node] fn b(_: B) -> Each<D> { Each::from(vec![]) }
#[node] fn c(_: C) -> Each<D> { Each::from(vec![]) }
#[node] fn one(_: D) -> E { E {} }
#[node] fn sum(_: Each<E>) -> Paper { Paper {} }
#[state] struct E {}
#[state] struct Paper {}

#[flow]
fn story(a: A) -> Paper { flow! { split -> fork(b, c) -> each(one) -> sum } }

fn main() {}
