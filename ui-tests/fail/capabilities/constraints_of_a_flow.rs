use pravah_runtime::prelude::*;

#[state] struct A {}

#[node] fn keep(a: A) -> A { a }

#[flow(constraints(no_network))]
fn keeping(a: A) -> A { flow! { keep } }

fn main() {}
