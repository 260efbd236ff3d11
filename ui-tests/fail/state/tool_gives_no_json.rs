use pravah_runtime::prelude::*;

struct Found;

/// Searches.
#[tool]
async fn search(_: String) -> Result<Found, ToolError> { Ok(Found) }

fn main() {}
