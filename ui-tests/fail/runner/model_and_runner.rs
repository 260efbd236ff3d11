use pravah_runtime::prelude::*;

#[state] struct Topic { name: String }
#[state] struct Finding { text: String }

/// Looks things up.
#[agent(model = "openai://m", runner = "a2a", output = Finding)]
fn archivist(topic: &Topic) -> String { topic.name.clone() }

fn main() {}
