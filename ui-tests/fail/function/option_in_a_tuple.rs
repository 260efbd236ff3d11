use pravah_runtime::prelude::*;

#[state] struct A { n: u32 }
#[state] struct B { n: u32 }
#[state] struct C { n: u32 }
#[node] fn split(a: A) -> (B, Option<C>) { (B { n: a.n }, None) }

fn main() {}
