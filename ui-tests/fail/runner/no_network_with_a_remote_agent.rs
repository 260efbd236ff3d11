use pravah_runtime::prelude::*;

#[state] struct Topic { name: String }
#[state] struct Finding { text: String }
#[state] struct Question { text: String }
#[state] struct Report { text: String }

/// Looks things up.
#[agent(runner = "a2a", output = Finding)]
fn archivist(topic: &Topic) -> String { topic.name.clone() }

/// You write.
#[agent(model = "openai://m", output = Report, agents = [archivist], constraints(no_network))]
fn writer(question: &Question) -> String { question.text.clone() }

fn main() {}
