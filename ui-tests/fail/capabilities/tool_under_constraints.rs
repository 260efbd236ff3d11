use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

/// Runs.
#[tool] async fn run(_: Commands) -> Result<(), ToolError> { Ok(()) }
/// Answers.
#[agent(model = "openai://gpt-4o-mini", output = B, tools = [run], constraints(no_network))]
fn answer(_: A) -> String { String::new() }

fn main() {}
