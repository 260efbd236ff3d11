use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[node] fn many(_: A) -> Each<B> { Each::from(vec![]) }
#[node] fn one(_: B) -> A { A {} }
#[node] fn sum(_: Each<A>) -> A { A {} }

#[flow]
fn story(a: A) -> A { flow! { many -> each(one -> done) -> sum } }

fn main() {}
