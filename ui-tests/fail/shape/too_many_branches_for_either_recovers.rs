use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node] fn read(_: A) -> Either<B, C> { Either::Left(B {}) }
#[node] fn tell(_: C) -> B { B {} }
#[flow] fn story(a: A) -> B { flow! { read -> either(done, tell, done) } }
#[flow(named)] fn around(a: A) -> B { flow! { story } }

async fn go(ctx: Context) -> Result<B, FlowError> {
    let _run = FlowRuntime::new(A {})?;
    story(A {}, ctx).await
}
fn main() {}
