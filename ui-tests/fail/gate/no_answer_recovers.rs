use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[gate(prompt = "Go on?")] fn ask(_: &A) -> B { B {} }
#[flow] fn story(a: A) -> B { flow! { ask } }

async fn go(ctx: Context) -> Result<B, FlowError> {
    let _run = FlowRuntime::new(A {})?;
    story(A {}, ctx).await
}
fn main() {}
