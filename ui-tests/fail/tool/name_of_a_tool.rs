use pravah_runtime::prelude::*;

/// Searches.
#[tool(name = "find")]
async fn search(text: String) -> Result<String, ToolError> { Ok(text) }

fn main() {}
