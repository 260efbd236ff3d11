use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}

#[node] fn split(_: A) -> Each<B> { Each::from(vec![]) }
#[node] fn work(_: B, _: Dep<u32>) -> C { C {} }
#[node] fn sum(_: Each<C>, _: Files) -> B { B {} }

#[flow(only(files))]
fn story(a: A) -> B { flow! { split -> each(work) -> sum } }

fn main() {}
