use pravah_runtime::prelude::*;

/// Searches.
#[tool]
async fn search(text: String) -> Result<String, ToolError> { Ok(text) }

/// Searches in one folder.
#[tool]
async fn search(folder: String, text: String) -> Result<String, ToolError> { Ok(folder + &text) }

fn main() {}
