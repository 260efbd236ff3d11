use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[choice] enum Way { B(B), None }
#[node] fn read(_: A) -> Way { Way::None }
#[flow] fn story(a: A) -> B { flow! { read -> either(done, done) } }

async fn go(ctx: Context) -> Result<B, FlowError> {
    let _run = FlowRuntime::new(A {})?;
    story(A {}, ctx).await
}
fn main() {}
