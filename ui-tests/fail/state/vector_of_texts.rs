use pravah_runtime::prelude::*;

#[state] struct Ticket {}
#[state] struct Reply {}

#[node] fn triage(_: &Ticket, _history: Vec<String>) -> Reply { Reply {} }

fn main() {}
