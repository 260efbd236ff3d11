use pravah_runtime::prelude::*;

#[state] struct Topic { name: String }
#[state] struct Finding { text: String }

#[agent(runner = "openai://gpt-4o-mini", output = Finding)]
fn archivist(topic: &Topic) -> String { topic.name.clone() }

fn main() {}
