use pravah_runtime::prelude::*;

#[state] struct Question { text: String }
#[state] struct Finding { text: String }
#[state] struct Report { text: String }

/// You look things up.
#[agent(model = "openai://m", output = Finding)]
fn researcher(question: &Question) -> String { question.text.clone() }

/// You write reports.
#[agent(model = "openai://m", output = Report, agents = [researcher], delegation(join = []))]
fn lead(question: &Question) -> String { question.text.clone() }

fn main() {}
