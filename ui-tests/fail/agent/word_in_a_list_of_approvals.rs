use pravah_runtime::prelude::*;

#[state] struct A { n: u32 }
#[state] struct B { n: u32 }
/// Looks.
#[tool] async fn look() -> Result<String, ToolError> { Ok(String::new()) }

/// Judges.
#[agent(model = "openai://gpt-4o-mini", output = B, tools = [look], approve = [all])]
fn judge(a: A) -> String { a.n.to_string() }

fn main() {}
