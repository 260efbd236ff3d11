use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[choice] enum Which { B(B), C { c: C } }
#[node] fn read(_: A) -> Which { Which::B(B {}) }
#[node] fn b(_: B) -> A { A {} }

#[flow]
fn story(a: A) -> A { flow! { read -> either(b, done) } }

fn main() {}
