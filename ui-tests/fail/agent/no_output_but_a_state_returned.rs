use pravah_runtime::prelude::*;

#[state] struct Ticket { text: String }
#[state] struct Verdict { urgent: bool }

/// You triage tickets.
#[agent(model = "openai://gpt-4o-mini")]
fn triage(ticket: &Ticket) -> Verdict { format!("How urgent is {}?", ticket.text) }

fn main() {}
