use pravah_runtime::prelude::*;

/// Searches.
#[tool]
async fn search(ctx: Context, text: String) -> Result<String, ToolError> { Ok(text) }

fn main() {}
