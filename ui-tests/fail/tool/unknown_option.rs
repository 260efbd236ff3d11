use pravah_runtime::prelude::*;

/// Searches.
#[tool(readonly)]
async fn search(text: String) -> Result<String, ToolError> { Ok(text) }

fn main() {}
