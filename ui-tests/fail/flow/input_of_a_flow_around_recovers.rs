use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node] fn read(_: A, _c: Input<C>) -> B { B {} }
#[flow] fn story(a: A) -> B { flow! { read } }
async fn go(ctx: Context) -> Result<(), FlowError> {
    let b = story(A {}, ctx).await?;
    drop(b);
    Ok(())
}
fn main() {}
