use pravah_runtime::prelude::*;

/// Searches.
#[tool]
async fn search(text: String, _: &Context) -> Result<String, ToolError> { Ok(text) }

fn main() {}
