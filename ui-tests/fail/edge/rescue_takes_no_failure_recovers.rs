use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[node] fn read(_: A) -> B { B {} }
#[node] fn rescue(_: A) -> B { B {} }
#[flow] fn story(a: A) -> B { flow! { read; catch(read) -> rescue } }
#[flow(named)] fn around(a: A) -> B { flow! { story } }

async fn go(ctx: Context) -> Result<B, FlowError> {
    let _run = FlowRuntime::new(A {})?;
    story(A {}, ctx).await
}
fn main() {}
