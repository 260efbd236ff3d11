use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[node] fn many(_: A) -> Each<B> { Each::from(vec![]) }
#[node] fn one(_: B) -> Either<C, D> { Either::Left(C {}) }
#[node] fn c(_: C) -> A { A {} }
#[node] fn d(_: D) -> B { B {} }
#[node] fn sum(_: Each<A>) -> D { D {} }

#[flow]
fn story(a: A) -> D { flow! { many -> each(one -> either(c, d)) -> sum } }

fn main() {}
