use pravah_runtime::prelude::*;

#[state] struct Topic { name: String }
#[state] struct Finding { text: String }

/// Looks things up.
#[tool]
async fn search(word: String) -> Result<String, ToolError> { Ok(word) }

#[agent(runner = "a2a", output = Finding, tools = [search])]
fn archivist(topic: &Topic) -> String { topic.name.clone() }

fn main() {}
