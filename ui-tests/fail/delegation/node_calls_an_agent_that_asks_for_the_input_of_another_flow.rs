use pravah_runtime::prelude::*;

#[state] struct Question { text: String }
#[state] struct Order { number: u32 }
#[state] struct Found { text: String }

/// Looks up the order.
#[tool] async fn look_up(order: Input<Order>) -> Result<u32, ToolError> { Ok(order.number) }

/// You look at orders.
#[agent(model = "openai://m", output = Found, tools = [look_up])]
fn clerk(question: &Question) -> String { question.text.clone() }

#[node(agents = [clerk])]
fn ask(question: Question) -> Invoke<Found> { clerk::invoke(question) }

#[flow(named)]
fn asking(question: Question) -> Found { flow! { ask } }

fn main() { let _run = asking::start(Question { text: String::new() }); }
