use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
enum PriceError {}
#[node] fn split(_: A) -> Each<B> { Each::new([]) }
#[node] fn price(b: B) -> Result<B, PriceError> { Ok(b) }
#[node] fn sum(_: Each<B>) -> C { C {} }

#[flow]
fn story(a: A) -> C { flow! { split -> each(price) -> sum } }

fn main() {}
