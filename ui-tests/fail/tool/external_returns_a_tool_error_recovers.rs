use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
/// Opens a file.
#[tool(external)] async fn open(path: String) -> Result<String, ToolError>;
/// You answer.
#[agent(model = "openai://m", output = B, tools = [open])]
fn answer(_: &A) -> String { String::new() }
#[flow] fn story(a: A) -> B { flow! { answer } }

async fn go(ctx: Context) -> Result<B, FlowError> {
    let _run = FlowRuntime::new(A {})?;
    story(A {}, ctx).await
}
fn main() {}
