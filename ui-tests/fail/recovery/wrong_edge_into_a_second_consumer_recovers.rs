use pravah_runtime::prelude::*;

#[state] struct Ticket {}
#[state] struct Verdict {}
#[state] struct Page {}
#[state] struct Close {}

#[node] fn triage(_: Ticket) -> Verdict { Verdict {} }
#[node] fn page(_: Verdict) -> Page { Page {} }
#[node] fn close(_: Verdict) -> Close { Close {} }

#[flow] fn support(ticket: Ticket) -> Close { flow! { triage -> page -> close } }

fn main() {}
