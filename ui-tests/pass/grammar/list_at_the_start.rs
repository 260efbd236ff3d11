use pravah_runtime::prelude::*;


#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node] fn a(_: A) -> B { B {} }
#[node] fn sum(_: Each<B>) -> C { C {} }

#[flow(named)]
fn story(input: Each<A>) -> C { flow! { each(a) -> sum } }

pub fn main() {}
