use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[node] fn spell(a: A) -> A { a }
#[node] fn expand(a: A) -> A { a }
#[node] fn end(_: A) -> B { B {} }

#[flow]
fn story(a: A) -> B { flow! { spell -> expand -> spell -> end } }

fn main() {}
