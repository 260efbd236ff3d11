use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node] fn read(_: A) -> B { B {} }
#[node] fn tell(_: A) -> C { C {} }

#[flow] fn story(a: A) -> B { flow! { read } }
#[flow] fn other(a: A) -> C { flow! { tell } }

async fn go(ctx: Context) -> Result<B, FlowError> {
    let _run = FlowRuntime::new(A {})?;
    other(A {}, ctx.clone()).await?;
    story(A {}, ctx).await
}
fn main() {}
