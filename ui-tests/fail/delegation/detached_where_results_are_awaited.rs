use pravah_runtime::prelude::*;

#[state] #[derive(Clone)] struct Question { text: String }
#[state] struct Report { text: String }

/// You write.
#[agent(model = "openai://m", output = Report)]
fn writer(question: &Question) -> String { question.text.clone() }

#[node(agents = [writer])]
fn write(question: &Question) -> Invoke<Each<Report>> { Invoke::detached([writer::invoke(question.clone())]) }

fn main() {}
