use pravah_runtime::prelude::*;

struct Oops;

/// Searches.
#[tool]
async fn search(text: String) -> Result<String, Oops> { Ok(text) }

fn main() {}
