use pravah_runtime::prelude::*;

#[state] struct Ticket {}
#[state] struct Urgent {}
#[state] struct Calm {}

#[choice]
enum Verdict { Urgent(Urgent), Calm(Calm) }

#[node]
fn triage(_: Ticket) -> Verdict { Verdict::Calm(Calm {}) }

#[flow]
fn desk(ticket: Ticket) -> Verdict { flow! { triage } }

fn main() {}
