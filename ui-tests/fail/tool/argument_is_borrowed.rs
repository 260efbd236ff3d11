use pravah_runtime::prelude::*;

/// Searches.
#[tool]
async fn search(text: &str) -> Result<String, ToolError> { Ok(text.into()) }

fn main() {}
