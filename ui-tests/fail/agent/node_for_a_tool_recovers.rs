use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[node] fn search(_: A) -> B { B {} }
/// You answer.
#[agent(model = "openai://m", output = B, tools = [search])]
fn answer(_: &A) -> String { String::new() }
#[flow] fn story(a: A) -> B { flow! { answer } }

async fn go(ctx: Context) -> Result<B, FlowError> {
    let _run = FlowRuntime::new(A {})?;
    story(A {}, ctx).await
}
fn main() {}
