use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[gate(prompt = "Go on?")] fn ask(_: &A, yes: bool) -> B { if yes { B {} } else { B {} } }
#[flow] fn story(a: A) -> B { flow! { ask } }

async fn go(mut run: FlowRuntime<A>, id: String) -> Result<(), FlowError> {
    run.answer(&id, true).await?;
    Ok(())
}
fn main() {}
