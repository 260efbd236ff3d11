use pravah_runtime::prelude::*;

#[state] struct Topic { name: String }
#[state] struct Finding { text: String }

/// Looks things up.
#[agent(runner = "https://archive.example.org", output = Finding)]
fn archivist(topic: &Topic) -> String { topic.name.clone() }

fn main() {}
