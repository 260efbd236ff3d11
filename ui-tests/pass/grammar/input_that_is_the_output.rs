use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[node] fn a(_: A) -> B { B {} }
#[node] fn b(_: B) -> A { A {} }
#[node] fn c(a: A) -> A { a }

#[flow]
fn story(input: A) -> A { flow! { a -> b -> c } }

pub fn main() {}
