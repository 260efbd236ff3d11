use pravah_runtime::prelude::*;
#[state] struct Order { n: u64 }
#[state] struct Ticket { n: u64 }
#[state] struct Topic { n: u64 }

/// Looks up the ticket.
#[tool] async fn look_up(ticket: Input<Ticket>) -> Result<u64, ToolError> { Ok(ticket.n) }
/// You look things up.
#[agent(model = "openai://m", output = Topic, tools = [look_up])]
fn clerk(topic: &Topic) -> String { topic.n.to_string() }

#[node] fn open(order: Order) -> Ticket { Ticket { n: order.n } }
#[node(agents = [clerk])]
fn begin(ticket: &Ticket) -> Invoke<Tasks> { Invoke::detached([clerk::invoke(Topic { n: ticket.n })]) }

#[flow(named)] fn review(ticket: Ticket) -> Tasks { flow! { begin } }
#[flow] fn desk(order: Order) -> Tasks { flow! { open -> review } }

fn main() {}
