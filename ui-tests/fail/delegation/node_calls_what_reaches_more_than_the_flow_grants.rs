use pravah_runtime::prelude::*;

#[state] struct Topic { name: String }
#[state] struct Finding { text: String }

/// Fetches a page.
#[tool]
async fn fetch(url: String, _http: Http) -> Result<String, ToolError> { Ok(url) }

/// You search.
#[agent(model = "openai://m", output = Finding, tools = [fetch])]
fn searcher(topic: &Topic) -> String { topic.name.clone() }

#[node(agents = [searcher])]
fn look_up(topic: Topic) -> Invoke<Finding> { searcher::invoke(topic) }

#[flow(only())]
fn reporting(topic: Topic) -> Finding { flow! { look_up } }

fn main() {}
