use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[node] fn one(a: A) -> A { a }
#[node] fn two(_: A) -> B { B {} }

#[flow]
fn story(a: A) -> B { flow! { one -> one as -> two } }

fn main() {}
