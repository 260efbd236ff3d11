use pravah_runtime::prelude::*;

#[state] struct Question { text: String }
#[state] struct Finding { text: String }
#[state] struct Report { text: String }

#[node]
fn search(question: &Question) -> Finding { Finding { text: question.text.clone() } }

/// You write reports.
#[agent(model = "openai://m", output = Report, agents = [search])]
fn lead(question: &Question) -> String { question.text.clone() }

#[node]
fn print(report: Report) -> Finding { Finding { text: report.text } }

#[flow(only(files))]
fn reporting(question: Question) -> Finding { flow! { lead -> print } }

fn main() {}
