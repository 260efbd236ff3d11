use pravah_runtime::prelude::*;

#[state] struct Question { text: String }
#[state] struct Report { text: String }

/// Fetches a page.
#[tool]
async fn fetch(url: String, http: Http) -> Result<String, ToolError> { http.get(&url).await?; Ok(url) }

/// You read pages.
#[agent(model = "openai://m", output = Report, tools = [fetch])]
fn reader(question: &Question) -> String { question.text.clone() }
/// You write reports.
#[agent(model = "openai://m", output = Report, agents = [reader], constraints(no_network))]
fn lead(question: &Question) -> String { question.text.clone() }

fn main() {}
