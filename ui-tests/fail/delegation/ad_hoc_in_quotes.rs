use pravah_runtime::prelude::*;

#[state] struct Question { text: String }
#[state] struct Report { text: String }

/// You write reports.
#[agent(model = "openai://m", output = Report, delegation(ad_hoc = "You are brief."))]
fn lead(question: &Question) -> String { question.text.clone() }

fn main() {}
