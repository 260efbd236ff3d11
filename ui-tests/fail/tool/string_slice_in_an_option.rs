use pravah_runtime::prelude::*;

/// Finds.
#[tool] async fn find(name: Option<&str>) -> Result<String, ToolError> { Ok(name.unwrap_or("").into()) }

fn main() {}
