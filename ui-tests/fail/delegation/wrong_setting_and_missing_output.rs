use pravah_runtime::prelude::*;

#[state] struct Question { text: String }
#[state] struct Report { text: String }

/// You write reports.
#[agent(model = "openai://m", delegation(max_depth = 2))]
fn lead(question: &Question) -> String { question.text.clone() }

fn main() {}
