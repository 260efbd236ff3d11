use pravah_runtime::prelude::*;

#[state] struct Topic { name: String }
#[state] struct Finding { text: String }

const LIMIT: u32 = 7;

#[agent(runner = LIMIT, output = Finding)]
fn archivist(topic: &Topic) -> String { topic.name.clone() }

fn main() {}
