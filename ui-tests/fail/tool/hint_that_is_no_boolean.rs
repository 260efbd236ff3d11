use pravah_runtime::prelude::*;

/// Searches.
#[tool(open_world = "no")]
async fn search(text: String) -> Result<String, ToolError> { Ok(text) }

fn main() {}
