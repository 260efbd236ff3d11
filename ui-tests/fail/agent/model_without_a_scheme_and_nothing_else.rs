use pravah_runtime::prelude::*;

#[state] struct Ticket { text: String }

#[agent(model = "openai/gpt-4o")]
fn triage(ticket: &Ticket) -> String { format!("How urgent is {}?", ticket.text) }

fn main() {}
