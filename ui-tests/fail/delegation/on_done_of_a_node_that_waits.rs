use pravah_runtime::prelude::*;

#[state] #[derive(Clone)] struct Question { text: String }
#[state] struct Report { text: String }

/// You write.
#[agent(model = "openai://m", output = Report)]
fn writer(question: &Question) -> String { question.text.clone() }

#[node(agents = [writer], on_done = wait)]
fn write(question: &Question) -> Invoke<Report> { writer::invoke(question.clone()) }

fn main() {}
