use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
mod web {
    use pravah_runtime::prelude::*;
    /// Searches the web.
    #[tool] pub async fn search(text: String) -> Result<String, ToolError> { Ok(text) }
}
/// Searches the files.
#[tool] async fn search(text: String) -> Result<String, ToolError> { Ok(text) }

#[agent(model = "openai://gpt-4o-mini", preamble = "P", output = B, tools = [search, web::search])]
fn ask(_: &A) -> String { String::new() }

fn main() {}
