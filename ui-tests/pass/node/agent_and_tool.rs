use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
/// Searches.
#[tool] async fn search(/** What for. */ text: String) -> Result<String, ToolError> { Ok(text) }

/// You answer.
#[agent(model = "openai://gpt-4o-mini", output = B, tools = [search], max_turns = 3)]
fn ask(_: &A) -> String { String::new() }
/// You write.
#[agent(model = custom("acme://m"), output = C)]
struct Brief { text: String }
#[node] fn brief(_: B) -> Brief { Brief { text: String::new() } }

#[flow]
fn story(a: A) -> C { flow! { ask -> brief -> Brief } }

pub fn main() {}
