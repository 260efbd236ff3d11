use pravah_runtime::prelude::*;

/// Searches the articles.
#[tool] async fn search(words: Vec<Word>) -> Result<String, ToolError> { todo!() }

fn main() {}
