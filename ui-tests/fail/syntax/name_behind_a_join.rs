use pravah_runtime::prelude::*;

#[state] struct A { n: u32 }
#[state] struct B { n: u32 }
#[node] fn split(a: A) -> (A, B) { (A { n: a.n }, B { n: a.n }) }
#[node] fn left(a: A) -> A { a }
#[node] fn right(b: B) -> B { b }
#[node] fn glue(a: A, b: B) -> B { B { n: a.n + b.n } }

#[flow]
fn story(a: A) -> B { flow! { split -> fork(left, right) -> join(glue) as last } }

fn main() {}
