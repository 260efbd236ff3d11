use pravah_runtime::prelude::*;

/// Deletes an account.
#[tool(read_only, destructive)]
async fn delete(name: String) -> Result<String, ToolError> { Ok(name) }

fn main() {}
