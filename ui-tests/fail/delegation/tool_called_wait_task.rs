use pravah_runtime::prelude::*;

#[state] struct Question { text: String }
#[state] struct Finding { text: String }
#[state] struct Report { text: String }

/// You look things up.
#[agent(model = "openai://m", output = Finding)]
fn researcher(question: &Question) -> String { question.text.clone() }

/// Waits.
#[tool]
async fn wait_task(text: String) -> Result<String, ToolError> { Ok(text) }

/// You write reports.
#[agent(model = "openai://m", output = Report, tools = [wait_task], agents = [researcher], delegation(join = [single, detached]))]
fn lead(question: &Question) -> String { question.text.clone() }

fn main() {}
