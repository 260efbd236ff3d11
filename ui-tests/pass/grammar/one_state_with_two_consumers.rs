use pravah_runtime::prelude::*;


#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[choice] enum Which { First(B), Second(B) }
#[node] fn ask(_: A) -> Which { Which::First(B {}) }
#[node] fn b(_: B) -> C { C {} }
#[node] fn c(_: B) -> C { C {} }

#[flow]
fn story(a: A) -> C { flow! { ask -> either(b, c) } }

pub fn main() {}
