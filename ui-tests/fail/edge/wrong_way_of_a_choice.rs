use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[state] struct E {}
#[choice] enum Which { B(B), C(C), D(D) }
#[node] fn read(_: A) -> Which { Which::B(B {}) }
#[node] fn b(_: B) -> D { D {} }
#[node] fn e(_: E) -> D { D {} }

#[flow]
fn story(a: A) -> D { flow! { read -> either(b, e, done) } }

fn main() {}
