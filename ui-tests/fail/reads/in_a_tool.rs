use pravah_runtime::prelude::*;

#[state] struct Topic {}
#[state] #[derive(Clone)] struct Draft {}
#[state] struct Note {}
#[state] struct Page {}

/// Searches.
#[tool]
async fn search(text: String, _draft: Latest<Draft>) -> Result<String, ToolError> { Ok(text) }

fn main() {}
