use pravah_runtime::prelude::*;

#[tool]
async fn search(text: String) -> Result<String, ToolError> { Ok(text) }

fn main() {}
