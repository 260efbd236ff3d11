use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node] fn split(_: A) -> (B, C) { (B {}, C {}) }
#[node] fn b(_: B) -> C { C {} }

#[flow]
fn story(a: A) -> C { flow! { split -> fork(b, done) } }

#[state] struct D {}
#[node] fn start(_: D) -> A { A {} }
#[flow(named)]
fn whole(d: D) -> C { flow! { start -> story } }

async fn run(a: A, ctx: Context) -> Result<C, FlowError> { story(a, ctx).await }

fn main() {}
