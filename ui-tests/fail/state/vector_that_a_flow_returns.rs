use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[node] fn many(_: A) -> Each<B> { Each::from(vec![]) }

#[flow]
fn story(a: A) -> Vec<B> { flow! { many -> done } }

fn main() {}
