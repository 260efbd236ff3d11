use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[node] fn read(_: A) -> B { B {} }

#[flow]
fn story<'a>(a: &'a A) -> B { flow! { read } }

async fn go(ctx: Context) -> Result<(), FlowError> {
    FlowRuntime::new(A {})?.run(ctx).await?;
    Ok(())
}

fn main() {}
