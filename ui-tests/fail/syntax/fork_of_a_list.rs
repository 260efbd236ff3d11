use pravah_runtime::prelude::*;

#[state] struct A { n: u32 }
#[state] struct B { n: u32 }
#[node] fn split(a: A) -> Each<A> { [a].into_iter().collect() }
#[node] fn one(a: A) -> B { B { n: a.n } }
#[node] fn sum(all: Each<B>) -> B { B { n: all.into_iter().map(|b| b.n).sum() } }

#[flow] fn story(a: A) -> B { flow! { split -> fork(one) -> sum } }

fn main() {}
