use pravah_runtime::prelude::*;

#[state] struct A {}
struct B {}
#[node] async fn read(_: &A) -> Result<B, FlowError> { Ok(B {}) }

#[flow(named)] fn inner(a: A) -> B { flow! { read } }
#[flow] fn story(a: A) -> B { flow! { inner } }

fn main() {}
