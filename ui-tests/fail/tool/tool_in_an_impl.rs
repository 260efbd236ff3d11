use pravah_runtime::prelude::*;

struct Desk;
impl Desk {
    /// Searches.
    #[tool]
    async fn search(text: String) -> Result<String, ToolError> { Ok(text) }
}

fn main() {}
