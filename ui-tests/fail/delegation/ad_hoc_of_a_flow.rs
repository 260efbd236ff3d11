use pravah_runtime::prelude::*;

#[state] struct Question { text: String }
#[state] struct Report { text: String }

#[node] fn write(question: Question) -> Report { Report { text: question.text } }

#[flow]
fn writing(question: Question) -> Report { flow! { write } }

/// You write reports.
#[agent(model = "openai://m", output = Report, delegation(ad_hoc = writing))]
fn lead(question: &Question) -> String { question.text.clone() }

fn main() {}
