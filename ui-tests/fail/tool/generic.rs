use pravah_runtime::prelude::*;

/// Searches.
#[tool]
async fn search<T>(text: T) -> Result<String, ToolError> { Ok(String::new()) }

fn main() {}
