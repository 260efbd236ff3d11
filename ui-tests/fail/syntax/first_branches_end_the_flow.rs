use pravah_runtime::prelude::*;

#[state] struct A {}
#[node] fn one(a: &A) -> A { a.clone() }
#[node] fn two(a: &A) -> A { a.clone() }

#[flow]
fn story(a: A) -> A { flow! { fork(done, one, two) } }

fn main() {}
