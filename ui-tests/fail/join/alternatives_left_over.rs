use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[state] struct E {}
#[node] fn read(_: A) -> Either<B, C> { Either::Left(B {}) }
#[node] fn b(_: B) -> D { D {} }
#[node] fn c(_: C) -> E { E {} }
#[node] fn mix(_: D) -> Paper { Paper {} }
#[state] struct Paper {}

#[flow]
fn story(a: A) -> Paper { flow! { read -> either(b, c) -> join(mix) } }

fn main() {}
