use pravah_runtime::prelude::*;

#[state] struct Ticket {}
#[state] struct Urgent {}
#[state] struct Calm {}

#[choice]
enum Verdict { Urgent(Urgent), Calm(Calm) }

/// You triage.
#[agent(model = "openai://m", output = Verdict)]
fn triage(_: &Ticket) -> String { String::new() }

fn main() {}
