use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node] fn read(_: A) -> B { B {} }
#[flow] fn inner(a: A) -> B { read(a) }
#[node] fn start(_: C) -> A { A {} }

#[flow]
fn outer(c: C) -> B { flow! { start -> inner } }

async fn run(a: A, ctx: Context) -> Result<B, FlowError> { inner(a, ctx).await }

fn main() {}
