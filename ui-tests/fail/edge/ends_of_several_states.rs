use pravah_runtime::prelude::*;

#[state] struct Ticket {}
#[state] struct Urgent {}
#[state] struct Routine {}
#[state] struct Paged {}
#[state] struct Answered {}
#[state] struct Resolution {}

#[node] fn triage(_: Ticket) -> Either<Urgent, Routine> { Either::Left(Urgent {}) }
#[node] fn page(_: Urgent) -> Paged { Paged {} }
#[node] fn answer(_: Routine) -> Answered { Answered {} }

#[flow]
fn support(ticket: Ticket) -> Resolution { flow! { triage -> either(page, answer) } }

fn main() {}
