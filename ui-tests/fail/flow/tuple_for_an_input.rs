use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[node] fn meet(_: A, _: B) -> D { D {} }

#[flow]
fn story(a: (A, B)) -> D { flow! { meet } }

fn main() {}
