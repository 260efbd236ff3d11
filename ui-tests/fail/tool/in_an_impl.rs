use pravah_runtime::prelude::*;

struct Files {}

impl Files {
    /// Searches.
    #[tool]
    async fn search(text: String) -> Result<String, ToolError> { Ok(text) }
}

fn main() {}
