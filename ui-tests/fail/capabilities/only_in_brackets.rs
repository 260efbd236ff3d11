use pravah_runtime::prelude::*;

#[state] struct A { n: u32 }
#[state] struct B { n: u32 }
#[node] fn one(a: A) -> B { B { n: a.n } }

#[flow(only([files]))]
fn story(a: A) -> B { flow! { one } }

fn main() {}
