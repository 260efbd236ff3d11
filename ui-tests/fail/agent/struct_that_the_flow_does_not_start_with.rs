use pravah_runtime::prelude::*;

#[state] struct Ticket {}
#[state] struct Draft {}
#[agent(model = "openai://gpt-4o-mini", preamble = "You write.", output = Draft)] struct Writer {}
#[flow] fn desk(ticket: Ticket) -> Draft { flow! { Writer } }

fn main() {}
