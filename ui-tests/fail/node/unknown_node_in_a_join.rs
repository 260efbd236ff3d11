use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[node] fn read(_: A) -> (B, C) { (B {}, C {}) }

#[flow]
fn story(a: A) -> D { flow! { read -> fork(join(mix), join(mix)) } }

fn main() {}
