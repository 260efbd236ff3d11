use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node] fn go(_: A) -> Either<A, A> { Either::Left(A {}) }
#[node] fn p(a: A) -> A { a }
#[node] fn q(a: A) -> A { a }
#[node] fn left(_: &A) -> B { B {} }
#[node] fn right(_: &A) -> B { B {} }
#[node] fn end(_: B, _: B) -> C { C {} }

#[flow]
fn story(a: A) -> C {
    flow! { go -> either(p -> fork(left, right), q -> fork(right, left)) -> join(end) }
}

fn main() {}
