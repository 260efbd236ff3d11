use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

/// Runs.
#[tool] async fn run(_: Commands) -> Result<(), ToolError> { Ok(()) }
/// Answers.
#[agent(model = "openai://gpt-4o-mini", output = B, tools = [run])]
fn answer(_: A) -> String { String::new() }

#[flow] fn inner(a: A) -> B { flow! { answer } }
#[flow(named, only(files))] fn outer(a: A) -> B { flow! { inner } }

fn main() {}
