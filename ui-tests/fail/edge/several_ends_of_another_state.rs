use pravah_runtime::prelude::*;

#[state] struct Ticket {}
#[state] struct Urgent {}
#[state] struct Calm {}
#[state] struct Reply {}

#[node] fn triage(_: Ticket) -> Either<Urgent, Calm> { todo!() }
#[node] fn page(_: Urgent) -> Reply { Reply {} }
#[node] fn answer(_: Calm) -> Reply { Reply {} }

#[flow] fn support(ticket: Ticket) -> Calm { flow! { triage -> either(page, answer) } }

fn main() {}
