use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[node] fn read(_: A) -> Vec<B> { vec![] }
#[node] fn item(b: B) -> B { b }
#[node] fn sum(_: Each<B>) -> B { B {} }
#[flow] fn story(a: A) -> B { flow! { read -> each(item) -> sum } }

async fn go(ctx: Context) -> Result<B, FlowError> {
    let _run = FlowRuntime::new(A {})?;
    story(A {}, ctx).await
}
fn main() {}
