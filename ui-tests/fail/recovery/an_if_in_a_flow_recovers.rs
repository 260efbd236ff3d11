use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[node] fn read(_: A) -> B { B {} }

#[flow]
fn story(a: A) -> B { flow! { read -> if a.good { one } else { two }; read -> unknown } }

async fn start(ctx: Context) { let _: Result<B, FlowError> = story(A {}, ctx).await; }

fn main() {}
