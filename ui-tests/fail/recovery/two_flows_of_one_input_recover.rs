use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[node] fn read(_: A) -> B { B {} }

#[flow]
fn story(a: A) -> B { flow! { read } }

#[flow]
fn other(a: A) -> B { flow! { read } }

async fn tell() -> Result<B, FlowError> { other(A {}, Context::default()).await }

fn main() {}
