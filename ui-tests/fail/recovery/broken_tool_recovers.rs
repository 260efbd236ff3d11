use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[tool]
async fn search(text: String) -> Result<String, ToolError> { Ok(text) }

#[agent(model = "openai://gpt-4o-mini", preamble = "You answer.", output = B, tools = [search])]
fn ask(_: &A) -> String { String::new() }

#[flow]
fn story(a: A) -> B { flow! { ask } }

fn tools() -> ToolBox { ToolBox::new().with::<search>() }

fn main() {}
