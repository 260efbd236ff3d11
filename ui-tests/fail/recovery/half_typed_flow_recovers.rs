use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node] fn read(_: A) -> B { B {} }
#[node] fn outer(_: C) -> A { A {} }

#[flow]
fn story(a: A) -> B { flow! { read -> } }

#[flow]
fn whole(c: C) -> B { flow! { outer -> story } }

async fn run(a: A, c: C, ctx: Context) -> Result<(B, B), FlowError> {
    let _ = (FlowRuntime::new(A {}), story::TOPOLOGY);
    Ok((story(a, ctx.clone()).await?, whole(c, ctx).await?))
}

fn main() {}
