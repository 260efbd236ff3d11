use pravah_runtime::prelude::*;

#[state] struct Question { text: String }
#[state] struct Finding { text: String }
#[state] struct Report { text: String }

/// You look things up.
#[agent(model = "openai://m", output = Finding)]
fn researcher(question: &Question) -> String { question.text.clone() }

/// Searches.
#[tool]
async fn search(text: String) -> Result<String, ToolError> { Ok(text) }

/// You write reports.
#[agent(model = "openai://m", output = Report, agents = [researcher], delegation(tools = [search]))]
fn lead(question: &Question) -> String { question.text.clone() }

fn main() {}
