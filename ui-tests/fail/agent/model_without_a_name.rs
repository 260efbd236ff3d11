use pravah_runtime::prelude::*;

#[state] struct Ticket {}
#[state] struct Verdict {}

#[agent("openai://gpt-4o-mini", preamble = "You triage.", output = Verdict)]
fn triage(_: &Ticket) -> String { String::new() }

fn main() {}
