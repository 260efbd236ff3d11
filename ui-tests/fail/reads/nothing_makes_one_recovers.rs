use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node] fn read(_: A, _c: Latest<C>) -> B { B {} }
#[flow] fn story(a: A) -> B { flow! { read } }
#[flow(named)] fn around(a: A) -> B { flow! { story } }

async fn go(ctx: Context) -> Result<B, FlowError> {
    let _run = FlowRuntime::new(A {})?;
    story(A {}, ctx).await
}
fn main() {}
