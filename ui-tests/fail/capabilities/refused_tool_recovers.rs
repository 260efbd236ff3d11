use pravah_runtime::prelude::*;

#[state] struct Ticket { email: String }
#[state] struct Reply { text: String }

/// Lists the last orders.
#[tool]
async fn orders(email: &str) -> Result<Vec<String>, ToolError> { Ok(vec![email.to_owned()]) }

/// You answer.
#[agent(model = "openai://m", output = Reply, tools = [orders])]
fn answer(ticket: &Ticket) -> String { ticket.email.clone() }

#[flow(only(deps))]
fn desk(ticket: Ticket) -> Reply { flow! { answer } }

fn main() {}
