use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B<T> { t: T }
#[node] fn read(_: A) -> B<u32> { B { t: 1 } }
#[node] fn write(_: B<u32>) -> A { A {} }
#[flow] fn story(a: A) -> A { flow! { read -> write } }

async fn go(ctx: Context) -> Result<A, FlowError> {
    let _run = FlowRuntime::new(A {})?;
    story(A {}, ctx).await
}
fn main() {}
