use pravah_runtime::prelude::*;
#[state] struct Order { n: u64 }
#[state] struct Ticket { n: u64 }
#[state] struct Found { n: u64 }

/// Looks up the ticket.
#[tool] async fn look_up(ticket: Input<Ticket>) -> Result<u64, ToolError> { Ok(ticket.n) }
/// You look things up.
#[agent(model = "openai://m", output = Found, tools = [look_up])]
fn clerk(ticket: &Ticket) -> String { ticket.n.to_string() }
/// You lead.
#[agent(model = "openai://m", output = Found, agents = [clerk], delegation(join = [single, detached]))]
fn lead(ticket: &Ticket) -> String { ticket.n.to_string() }

#[node] fn open(order: Order) -> Ticket { Ticket { n: order.n } }
#[flow(named)] fn review(ticket: Ticket) -> Found { flow! { lead } }
#[flow] fn desk(order: Order) -> Found { flow! { open -> review } }

fn main() {}
