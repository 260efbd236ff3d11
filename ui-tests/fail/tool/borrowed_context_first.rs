use pravah_runtime::prelude::*;

/// Searches.
#[tool]
async fn search(_: &Context, text: String) -> Result<String, ToolError> { Ok(text) }

fn main() {}
