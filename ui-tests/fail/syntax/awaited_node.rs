use pravah_runtime::prelude::*;

#[state] struct A { n: u32 }
#[state] struct B { n: u32 }
#[node] async fn one(a: A) -> B { B { n: a.n } }

#[flow]
fn story(a: A) -> B { flow! { await one } }

fn main() {}
