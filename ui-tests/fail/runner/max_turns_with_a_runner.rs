use pravah_runtime::prelude::*;

#[state] struct Topic { name: String }
#[state] struct Finding { text: String }

#[agent(runner = "a2a", output = Finding, max_turns = 3)]
fn archivist(topic: &Topic) -> String { topic.name.clone() }

fn main() {}
