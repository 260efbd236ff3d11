use pravah_runtime::prelude::*;

#[state] struct A {}
#[node] fn spell(a: A) -> A { a }
#[node] fn expand(a: A) -> A { a }

#[flow]
fn story(a: A) -> A { flow! { spell -> spell as again -> expand -> spell as again -> done } }

fn main() {}
