use pravah_runtime::prelude::*;

#[state] struct Ticket {}
#[state] struct Verdict {}

#[agent(model = "openai://m", preamble = "Triage.", output = Verdict)]
#[node]
fn triage(_: &Ticket) -> String { todo!() }

#[flow] fn support(ticket: Ticket) -> Verdict { flow! { triage } }

fn main() {}
