use pravah_runtime::prelude::*;

#[state] struct A {}
struct Pool;

/// Searches.
#[tool]
async fn search(text: String, _: Pool) -> Result<String, ToolError> { Ok(text) }

/// Answers.
#[agent(model = "openai://gpt-4o-mini", output = A, tools = [search])]
fn answer(_: A) -> String { String::new() }

#[flow]
fn story(a: A) -> A { flow! { answer } }

fn main() {}
