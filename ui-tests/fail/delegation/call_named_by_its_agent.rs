use pravah_runtime::prelude::*;

#[state] struct Topic { name: String }
#[state] struct Finding { text: String }

/// You look things up.
#[agent(model = "openai://m", output = Finding)]
fn researcher(topic: &Topic) -> String { topic.name.clone() }

#[node(agents = [researcher])]
fn look_up(_topic: Topic) -> Invoke<researcher> { todo!() }

fn main() {}
