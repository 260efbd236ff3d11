use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[node] fn draft(_: A) -> B { B {} }
#[node] fn review(_: B) -> Either<D, C> { Either::Left(D {}) }
#[node(max_visits = 10)] fn revise(_: C) -> B { B {} }

#[flow]
fn story(a: A) -> D { flow! { draft -> review -> either(done, revise); revise -> review } }

pub fn main() {}
