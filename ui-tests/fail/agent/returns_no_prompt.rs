use pravah_runtime::prelude::*;

#[state] struct Ticket {}
#[state] struct Verdict {}

/// You triage tickets.
#[agent(model = "openai://gpt-4o-mini", output = Verdict)]
fn triage(_: &Ticket) {}

#[flow]
fn desk(ticket: Ticket) -> Verdict { flow! { triage } }

fn main() {}
