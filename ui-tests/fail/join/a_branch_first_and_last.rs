use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[node] fn go(a: A) -> Either<A, A> { Either::Left(a) }
#[node] fn p(a: A) -> A { a }
#[node] fn q(a: A) -> A { a }
#[node] fn read(_: &A) -> B { B {} }
#[node] fn count(_: &A) -> B { B {} }
#[node] fn check(_: &A) -> B { B {} }
#[node] fn end(_: B, _: B) -> A { A {} }

#[flow]
fn story(a: A) -> A {
    flow! { go -> either(p -> fork(read, count), q -> fork(check, read)) -> join(end) }
}

fn main() {}
