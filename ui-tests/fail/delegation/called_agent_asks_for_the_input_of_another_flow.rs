use pravah_runtime::prelude::*;

#[state] struct Question { text: String }
#[state] struct Order { number: u32 }
#[state] struct Report { text: String }

/// Looks up the order.
#[tool] async fn look_up(order: Input<Order>) -> Result<u32, ToolError> { Ok(order.number) }

/// You look at orders.
#[agent(model = "openai://m", output = Report, tools = [look_up])]
fn clerk(question: &Question) -> String { question.text.clone() }
/// You write reports.
#[agent(model = "openai://m", output = Report, agents = [clerk])]
fn lead(question: &Question) -> String { question.text.clone() }

#[flow(named)]
fn reporting(question: Question) -> Report { flow! { lead } }

fn main() { let _run = reporting::start(Question { text: String::new() }); }
