use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[state] struct E {}
#[choice] enum Which { B(B), C(C), D(D) }
#[node] fn read(_: A) -> Which { Which::D(D {}) }
#[node] fn b(_: &B) -> E { E {} }
#[node] fn c(_: &C) -> E { E {} }
#[node] fn d(_: &D) -> E { E {} }

#[flow]
fn story(a: A) -> E { flow! { read -> either(b, c, d) } }

pub fn main() {}
