use pravah_runtime::prelude::*;

#[state] struct A {}
#[node] fn one(a: A) -> A { a }
#[node] fn two(a: A) -> A { a }
#[node] fn end(a: A) -> A { a }

#[flow]
fn story(a: A) -> A { flow! { one -> two; end as two -> end } }

fn main() {}
