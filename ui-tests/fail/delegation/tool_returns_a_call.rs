use pravah_runtime::prelude::*;

#[state] struct Topic { name: String }
#[state] struct Finding { text: String }

/// You look things up.
#[agent(model = "openai://m", output = Finding)]
fn researcher(topic: &Topic) -> String { topic.name.clone() }

/// Looks things up.
#[tool]
async fn look_up(name: String) -> Result<Invoke<Finding>, ToolError> { Ok(researcher::invoke(Topic { name })) }

fn main() {}
