use pravah_runtime::prelude::*;

struct Query {}

/// Searches.
#[tool]
async fn search(query: Query) -> Result<String, ToolError> { Ok(String::new()) }

fn main() {}
