use pravah_runtime::prelude::*;

struct Pool;

/// Searches.
#[tool]
async fn search(text: String, _pool: Pool) -> Result<String, ToolError> { Ok(text) }

fn main() {}
