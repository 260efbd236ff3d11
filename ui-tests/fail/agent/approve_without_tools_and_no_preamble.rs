use pravah_runtime::prelude::*;

#[state] struct Ticket { text: String }
#[state] struct Verdict { urgent: bool }

#[agent(model = "openai://gpt-4o-mini", output = Verdict, approve = [pay])]
fn triage(ticket: &Ticket) -> String { ticket.text.clone() }

fn main() {}
