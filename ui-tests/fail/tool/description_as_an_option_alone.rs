use pravah_runtime::prelude::*;

#[tool(desc = "Finds.")] async fn find(name: String) -> Result<String, ToolError> { Ok(name) }

fn main() {}
