use pravah_runtime::prelude::*;

#[state] struct A { n: u32 }
#[state] struct B { n: u32 }
#[node] fn pick(a: A) -> Either<A, B> { Either::Left(a) }
#[node] fn left(a: A) -> B { B { n: a.n } }
#[node] fn right(b: B) -> B { b }

#[flow]
fn story(a: A) -> B { flow! { pick -> either(left, right) -> join(done) } }

fn main() {}
