use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
/// Sends it off.
#[tool] async fn submit(text: String) -> Result<String, ToolError> { Ok(text) }

#[agent(model = "openai://gpt-4o-mini", preamble = "P", output = B, tools = [submit])]
fn ask(_: &A) -> String { String::new() }

fn main() {}
