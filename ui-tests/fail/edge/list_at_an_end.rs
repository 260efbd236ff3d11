use pravah_runtime::prelude::*;

#[state] struct A { n: u32 }
#[state] struct B { n: u32 }
#[state] struct C { n: u32 }
#[node] fn pick(a: A) -> Either<C, A> { Either::Left(C { n: a.n }) }
#[node] fn split(a: A) -> Each<A> { [a].into_iter().collect() }
#[node] fn one(a: A) -> B { B { n: a.n } }

#[flow]
fn story(a: A) -> C { flow! { pick -> either(done, split -> each(one)) } }

fn main() {}
