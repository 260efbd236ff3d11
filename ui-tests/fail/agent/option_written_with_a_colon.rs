use pravah_runtime::prelude::*;

#[state] struct Ticket {}
#[state] struct Verdict {}

#[agent(model: "openai://m", preamble: "Triage.", output: Verdict)]
fn triage(_: &Ticket) -> String { todo!() }

fn main() {}
