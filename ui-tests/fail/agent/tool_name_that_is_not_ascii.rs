use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
/// Searches.
#[tool] async fn größe(text: String) -> Result<String, ToolError> { Ok(text) }

#[agent(model = "openai://gpt-4o-mini", preamble = "P", output = B, tools = [größe])]
fn ask(_: &A) -> String { String::new() }

fn main() {}
