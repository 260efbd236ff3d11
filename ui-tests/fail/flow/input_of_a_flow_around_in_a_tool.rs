use pravah_runtime::prelude::*;

#[state] struct Ticket { email: String }
#[state] struct Doc { text: String }
/// Looks up an order.
#[tool] async fn order(ticket: Input<Ticket>) -> Result<String, ToolError> { Ok(ticket.email.clone()) }
/// You sum up documents.
#[agent(model = "openai://gpt-4o-mini", output = Doc, tools = [order])]
fn sum_up(doc: &Doc) -> String { doc.text.clone() }
#[flow] fn summary(doc: Doc) -> Doc { flow! { sum_up } }

fn main() {
    let _run = summary(Doc { text: String::new() }, Context::default());
}
