use pravah_runtime::prelude::*;

#[state] struct A { n: u32 }
#[state] struct B { n: u32 }
#[node] fn one(a: A) -> B { B { n: a.n } }
#[node] fn pick(b: B) -> Either<A, B> { Either::Right(b) }

#[flow] fn story(a: A) -> B { flow! { one -> pick -> either(one, return) } }

fn main() {}
