use pravah_runtime::prelude::*;

#[state] struct Question { text: String }
#[state] struct Report { text: String }

/// You write.
#[agent(model = "openai://m", output = Report)]
fn writer(question: &Question) -> String { question.text.clone() }

/// Runs something.
#[tool]
async fn run_skill(text: String) -> Result<String, ToolError> { Ok(text) }

/// You write reports.
#[agent(model = "openai://m", output = Report, tools = [run_skill], skills = [writer])]
fn lead(question: &Question) -> String { question.text.clone() }

fn main() {}
