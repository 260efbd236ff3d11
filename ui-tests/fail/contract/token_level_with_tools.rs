use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

/// Searches.
#[tool]
async fn search(text: String) -> Result<String, ToolError> { Ok(text) }

#[agent(
    model = "openai://gpt-4o-mini",
    preamble = "You decide.",
    output = B,
    tools = [search],
    contract(confidence = token_level),
)]
fn ask(_: &A) -> String { String::new() }

fn main() {}
