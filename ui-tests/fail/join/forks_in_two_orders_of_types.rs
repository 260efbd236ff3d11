use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node] fn go(a: A) -> Either<A, A> { Either::Left(a) }
#[node] fn p(a: A) -> A { a }
#[node] fn q(a: A) -> A { a }
#[node] fn b(_: &A) -> B { B {} }
#[node] fn c(_: &A) -> C { C {} }
#[node] fn end(_: B, _: C) -> A { A {} }

#[flow]
fn story(a: A) -> A {
    flow! { go -> either(p -> fork(b, c), q -> fork(c as d, b as e)) -> join(end) }
}

fn main() {}
