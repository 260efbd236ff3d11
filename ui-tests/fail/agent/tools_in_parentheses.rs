use pravah_runtime::prelude::*;

#[state] struct Ticket {}
#[state] struct Verdict {}
/// Lists the orders of a customer.
#[tool] async fn orders(mail: String) -> Result<String, ToolError> { Ok(mail) }

#[agent(model = "openai://gpt-4o-mini", preamble = "You triage.", output = Verdict, tools(orders))]
fn triage(_: &Ticket) -> String { String::new() }

fn main() {}
