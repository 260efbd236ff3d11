use pravah_runtime::prelude::*;

#[state] struct Ticket {}
#[state] struct Verdict {}
#[state] struct Urgent {}
#[state] struct Calm {}
#[state] struct Reply {}
#[node] fn triage(_: Ticket) -> Verdict { Verdict {} }
#[node] fn route(_: Verdict) -> Either<Urgent, Calm> { todo!() }
#[node] fn page(_: Urgent) -> Reply { Reply {} }
#[node] fn answer(_: Calm) -> Reply { Reply {} }

#[flow] fn support(t: Ticket) -> Reply { flow! { route -> triage -> either(page, answer) } }

fn main() {}
