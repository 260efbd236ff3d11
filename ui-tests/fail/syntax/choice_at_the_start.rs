use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[node] fn one(_: A) -> C { C {} }
#[node] fn two(_: A) -> C { C {} }

#[flow]
fn story(a: A) -> C { flow! { either(one, two) } }

fn main() {}
