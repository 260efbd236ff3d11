use pravah_runtime::prelude::*;

/// Searches.
#[tool]
fn search(text: String) -> Result<String, ToolError> { Ok(text) }

fn main() {}
