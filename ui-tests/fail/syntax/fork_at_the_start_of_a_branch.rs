use pravah_runtime::prelude::*;

#[state] struct A { n: u32 }
#[state] struct B { n: u32 }
#[state] struct C { n: u32 }
#[node] fn pick(a: A) -> Either<A, B> { Either::Left(a) }
#[node] fn one(a: &A) -> B { B { n: a.n } }
#[node] fn two(a: &A) -> C { C { n: a.n } }
#[node] fn meet(b: B, c: C) -> B { B { n: b.n + c.n } }

#[flow] fn story(a: A) -> B { flow! { pick -> either(fork(one, two) -> join(meet), done) } }

fn main() {}
