use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[choice] enum Way { B(B, C), C(C) }
#[node] fn read(_: A) -> Way { Way::C(C {}) }
#[node] fn tell(_: C) -> B { B {} }
#[flow] fn story(a: A) -> B { flow! { read -> either(done, tell) } }

async fn go(ctx: Context) -> Result<B, FlowError> {
    let _run = FlowRuntime::new(A {})?;
    story(A {}, ctx).await
}
fn main() {}
