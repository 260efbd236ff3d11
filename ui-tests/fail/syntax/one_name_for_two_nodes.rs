use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[node] fn one(a: A) -> A { a }
#[node] fn two(a: A) -> A { a }
#[node] fn end(_: A) -> B { B {} }

#[flow]
fn story(a: A) -> B { flow! { one as again -> two as again -> end } }

fn main() {}
