use pravah_runtime::prelude::*;

/// Finds.
#[tool] async fn find(name: impl Into<String> + Send) -> Result<String, ToolError> { Ok(name.into()) }

fn main() {}
