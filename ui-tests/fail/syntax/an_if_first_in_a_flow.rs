use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[node] fn one(_: A) -> D { D {} }
#[node] fn two(_: A) -> D { D {} }

#[flow]
fn story(a: A) -> D { flow! { if a.good { one } else { two } } }

fn main() {}
