use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct D {}
#[node] fn all(_: Each<A>) -> D { D {} }

#[flow]
fn story(a: Vec<A>) -> D { flow! { all } }

fn main() {}
