use pravah_runtime::prelude::*;

#[state] struct A { n: u32 }
#[state] struct B { n: u32 }
#[node] fn split(a: A) -> Each<A> { [a].into_iter().collect() }
#[node] fn one(a: A) -> B { B { n: a.n } }
#[node] fn all(items: Each<B>) -> B { B { n: items.into_iter().count() as u32 } }

#[flow]
fn story(a: A) -> B { flow! { split -> each(one; limit = 2) -> all } }

fn main() {}
