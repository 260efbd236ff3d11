use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[state] struct E {}
#[node] fn read(_: A) -> Either<B, C> { Either::Left(B {}) }
#[node] fn b(_: B) -> D { D {} }
#[node] fn c(_: C) -> (E, A) { (E {}, A {}) }
#[node] fn mix(_: E, _: A) -> D { D {} }

#[flow]
fn story(a: A) -> D { flow! { read -> either(b -> join(mix), c -> fork(join(mix), join(mix))) } }

fn main() {}
