use pravah_runtime::prelude::*;

/// Pays a customer.
#[tool(confirm)]
async fn pay(euros: u32) -> Result<u32, ToolError> { Ok(euros) }

fn main() {}
