use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[node] fn split(_: A) -> Each<B> { [].into_iter().collect() }
#[node] fn again(b: B) -> B { b }
#[node] fn end(_: Each<B>) -> A { A {} }

#[flow]
fn story(a: A) -> A { flow! { split -> each(again -> again) -> end } }

fn main() {}
