use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[node] fn r#match(_: A) -> B { B {} }

#[flow]
fn story(a: A) -> B { flow! { match } }

fn main() {}
