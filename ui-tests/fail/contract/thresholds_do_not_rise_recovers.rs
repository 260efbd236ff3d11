use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
/// You answer.
#[agent(model = "openai://m", output = B, contract(suppress_below = 0.9, auto_approve_above = 0.3))]
fn answer(_: &A) -> String { String::new() }
#[flow] fn story(a: A) -> B { flow! { answer; catch(answer) -> rescue } }
#[node] fn rescue(_: Failure<A>) -> B { B {} }

async fn go(ctx: Context) -> Result<B, FlowError> {
    let _run = FlowRuntime::new(A {})?;
    story(A {}, ctx).await
}
fn main() {}
