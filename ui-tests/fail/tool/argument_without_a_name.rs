use pravah_runtime::prelude::*;

/// Searches.
#[tool]
async fn search(_: String) -> Result<String, ToolError> { Ok(String::new()) }

fn main() {}
