use pravah_runtime::prelude::*;

mod x { use pravah_runtime::prelude::*; #[state] pub struct B {} }
#[state] struct A {}
#[state] struct B {}
#[node] fn read(_: A) -> x::B { x::B {} }
#[node] fn tell(_: x::B) -> B { B {} }
#[flow] fn story(a: A) -> B { flow! { read -> tell } }

async fn go(ctx: Context) -> Result<B, FlowError> {
    let _run = FlowRuntime::new(A {})?;
    story(A {}, ctx).await
}
fn main() {}
