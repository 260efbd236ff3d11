use pravah_runtime::prelude::*;

#[state] struct Question { text: String }
#[state] struct Report { text: String }

#[state] struct Finding { text: String }

/// You write.
#[agent(model = "openai://m", output = Report)]
fn writer(question: &Question) -> String { question.text.clone() }

#[node(agents = [writer])]
fn collect(tasks: &Tasks) -> Invoke<Each<Finding>> { tasks.wait() }

fn main() {}
