use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[node] fn read(_: A) -> B { B {} }

#[flow]
fn story(a: A, ctx: Context) -> B { flow! { read } }

async fn tell() -> Result<B, FlowError> { story(A {}, Context::default()).await }

fn main() {}
