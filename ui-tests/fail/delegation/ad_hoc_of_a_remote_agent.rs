use pravah_runtime::prelude::*;

#[state] struct Question { text: String }
#[state] struct Report { text: String }

/// Writes.
#[agent(runner = "a2a", output = Report)]
fn writer(question: &Question) -> String { question.text.clone() }

/// You write reports.
#[agent(model = "openai://m", output = Report, delegation(ad_hoc = writer))]
fn lead(question: &Question) -> String { question.text.clone() }

fn main() {}
