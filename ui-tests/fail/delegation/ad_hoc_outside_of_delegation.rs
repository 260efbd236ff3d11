use pravah_runtime::prelude::*;

#[state] struct Question { text: String }
#[state] struct Report { text: String }

/// You write.
#[agent(model = "openai://m", output = Report)]
fn writer(question: &Question) -> String { question.text.clone() }

/// You write reports.
#[agent(model = "openai://m", output = Report, ad_hoc = writer)]
fn lead(question: &Question) -> String { question.text.clone() }

fn main() {}
