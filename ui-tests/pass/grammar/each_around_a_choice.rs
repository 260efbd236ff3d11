use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[state] struct E {}
#[node] fn many(_: A) -> Each<B> { Each::from(vec![]) }
#[node] fn one(_: &B) -> Either<C, D> { Either::Left(C {}) }
#[node] fn c(_: &C) -> E { E {} }
#[node] fn d(_: &D) -> E { E {} }

#[flow]
fn story(a: A) -> Each<E> { flow! { many -> each(one -> either(c, d)) } }

pub fn main() {}
