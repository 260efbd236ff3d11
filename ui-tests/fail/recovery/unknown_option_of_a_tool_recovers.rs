use pravah_runtime::prelude::*;

#[state] struct Question {}
#[state] struct Answer {}

/// Deletes an account.
#[tool(destruct)]
async fn delete(name: String) -> Result<String, ToolError> { Ok(name) }

#[agent(model = "openai://m", preamble = "", output = Answer, tools = [delete], approve = destructive)]
fn clerk(_: &Question) -> String { String::new() }

#[flow]
fn asking(question: Question) -> Answer { flow! { clerk } }

fn main() {}
