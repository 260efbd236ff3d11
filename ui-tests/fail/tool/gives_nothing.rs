use pravah_runtime::prelude::*;

/// Searches.
#[tool]
async fn search(text: String) {}

fn main() {}
