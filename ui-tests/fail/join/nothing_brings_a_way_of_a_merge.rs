use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[state] struct E {}
#[choice] enum All { C(C), D(D), E(E) }
#[node] fn read(_: A) -> Either<B, C> { Either::Left(B {}) }
#[node] fn b(_: B) -> D { D {} }
#[node] fn mix(_: All) -> Paper { Paper {} }
#[state] struct Paper {}

#[flow]
fn story(a: A) -> Paper { flow! { read -> either(b -> join(mix), join(mix)) } }

fn main() {}
