use pravah_runtime::prelude::*;

/// Searches.
#[tool]
async fn search(text: String) -> Result<String, ToolError> {
    let held = std::rc::Rc::new(1);
    std::future::ready(()).await;
    drop(held);
    Ok(text)
}

fn main() {}
