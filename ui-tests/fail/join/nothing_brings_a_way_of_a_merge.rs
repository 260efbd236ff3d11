use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[state] struct E {}
#[node] fn read(_: A) -> Either<B, C> { Either::Left(B {}) }
#[node] fn c(_: C) -> D { D {} }
#[choice] enum All { B(B), D(D), E(E) }
#[node] fn mix(_: All) -> Paper { Paper {} }
#[state] struct Paper {}

#[flow]
fn story(a: A) -> Paper { flow! { read -> either(join(mix), c) -> join(mix) } }

fn main() {}
