use pravah_runtime::prelude::*;

/// Searches.
#[tool]
async fn search(text: String) -> String { text }

fn main() {}
