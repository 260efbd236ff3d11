use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[node] fn a(_: A) -> B { B {} }

#[flow]
fn story(a: A) -> B { flow! { either(a, a) } }

fn main() {}
