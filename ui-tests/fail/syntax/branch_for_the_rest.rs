use pravah_runtime::prelude::*;

#[state] struct A { n: u32 }
#[state] struct B { n: u32 }
#[node] fn pick(a: A) -> Either<A, B> { Either::Left(a) }
#[node] fn left(a: A) -> B { B { n: a.n } }

#[flow]
fn story(a: A) -> B { flow! { pick -> either(left, _) } }

fn main() {}
