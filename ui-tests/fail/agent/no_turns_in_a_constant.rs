use pravah_runtime::prelude::*;

const TURNS: u32 = 0;

#[state] struct Ticket {}
#[state] struct Verdict {}

#[agent(model = "openai://m", preamble = "Triage.", output = Verdict, max_turns = TURNS)]
fn triage(_: &Ticket) -> String { todo!() }

fn main() {}
