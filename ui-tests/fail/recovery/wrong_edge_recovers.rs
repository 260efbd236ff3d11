use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node] fn read(_: A) -> B { B {} }
#[node] fn write(_: C) -> B { B {} }
#[flow] fn inner(a: A) -> C { flow! { read } }
#[state] struct D {}
#[node] fn start(_: D) -> A { A {} }

#[flow]
fn outer(d: D) -> B { flow! { start -> inner -> write } }

async fn run(a: A, ctx: Context) -> Result<C, FlowError> { inner(a, ctx).await }

fn main() {}
