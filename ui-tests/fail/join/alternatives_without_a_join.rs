use pravah_runtime::prelude::*;

#[state] struct Ticket {}
#[state] struct Urgent {}
#[state] struct Calm {}
#[state] struct Paged {}
#[state] struct Closed {}

#[node] fn triage(_: Ticket) -> Either<Urgent, Calm> { todo!() }
#[node] fn page(_: Urgent) -> Paged { Paged {} }
#[node] fn close(_: Either<Paged, Calm>) -> Closed { Closed {} }

#[flow] fn support(ticket: Ticket) -> Closed { flow! { triage -> either(page, close) -> close } }

fn main() {}
