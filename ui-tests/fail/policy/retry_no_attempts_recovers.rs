use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[node(retry(max_attempts = 0))] fn read(_: A) -> B { B {} }
#[flow] fn story(a: A) -> B { flow! { read } }

async fn go(ctx: Context) -> Result<B, FlowError> {
    let _run = FlowRuntime::new(A {})?;
    story(A {}, ctx).await
}
fn main() {}
