use pravah_runtime::prelude::*;

#[state] struct A {}
#[choice] enum Way { P(A), Q(A), R(A) }
#[node] fn go(a: A) -> Way { Way::P(a) }
#[node] fn p(a: A) -> A { a }
#[node] fn q(a: A) -> A { a }
#[node] fn r(a: A) -> A { a }
#[node] fn x(a: &A) -> A { a.clone() }
#[node] fn y(a: &A) -> A { a.clone() }
#[node] fn z(a: &A) -> A { a.clone() }
#[node] fn end(a: A, _: A) -> A { a }

#[flow]
fn story(a: A) -> A {
    flow! { go -> either(p -> fork(x, y), q -> fork(y, z), r -> fork(x, z)) -> join(end) }
}

fn main() {}
