use pravah_runtime::prelude::*;

struct Found;

/// Searches.
#[tool]
async fn search(text: String) -> Result<Found, ToolError> { Ok(Found) }

fn main() {}
