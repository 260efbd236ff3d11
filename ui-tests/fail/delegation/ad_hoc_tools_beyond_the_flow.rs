use pravah_runtime::prelude::*;

#[state] struct Question { text: String }
#[state] struct Report { text: String }

/// Reads a file.
#[tool]
async fn read(files: Files, name: String) -> Result<String, ToolError> { files.read_to_string(&name) }

/// You write.
#[agent(model = "openai://m", output = Report, tools = [read])]
fn writer(question: &Question) -> String { question.text.clone() }

/// You write reports.
#[agent(model = "openai://m", output = Report, delegation(ad_hoc = writer))]
fn lead(question: &Question) -> String { question.text.clone() }

#[flow(only())] fn writing(question: Question) -> Report { flow! { lead } }

fn main() {}
