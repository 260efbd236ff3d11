use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[choice] enum Which { B(B), C { c: C } }
#[node] fn read(_: A) -> Which { Which::B(B {}) }
#[node] fn b(_: B) -> D { D {} }
#[node] fn c(_: C) -> D { D {} }

#[flow]
fn story(a: A) -> D { flow! { read -> either(b, c) } }

fn main() {}
