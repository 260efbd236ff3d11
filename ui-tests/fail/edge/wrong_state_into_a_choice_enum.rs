use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[choice] enum Which { B(B), C(C) }
#[node] fn read(_: A) -> D { D {} }
#[node] fn merge(_: Which) -> D { D {} }

#[flow]
fn story(a: A) -> D { flow! { read -> merge } }

fn main() {}
