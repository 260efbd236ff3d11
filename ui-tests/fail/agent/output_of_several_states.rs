use pravah_runtime::prelude::*;

#[state] struct Ticket {}
#[state] struct Urgent {}
#[state] struct Calm {}

#[agent(model = "openai://m", preamble = "Triage.", output = Either<Urgent, Calm>)]
fn triage(_: &Ticket) -> String { todo!() }

fn main() {}
