use pravah_runtime::prelude::*;

struct Files {}

impl Files {
    /// Searches.
    #[tool]
    async fn search(&self, text: String) -> Result<String, ToolError> { Ok(text) }
}

fn main() {}
