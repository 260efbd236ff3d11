use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

/// Searches.
#[tool] async fn search(text: String) -> Result<String, ToolError> { Ok(text) }

#[agent(model = "openai://m", preamble = "Answer.", output = B, tools = [search()])]
fn ask(_: &A) -> String { String::new() }

#[flow] fn story(a: A) -> B { flow! { ask } }

fn main() {}
