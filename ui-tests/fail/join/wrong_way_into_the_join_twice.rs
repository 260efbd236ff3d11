use pravah_runtime::prelude::*;

#[state] struct Ticket {}
#[state] struct Urgent {}
#[state] struct Calm {}
#[state] struct Late {}
#[state] struct Closed {}

#[node] fn triage(_: Ticket) -> Either<Urgent, Calm> { todo!() }
#[node] fn close(_: Either<Late, Calm>) -> Closed { Closed {} }

#[flow] fn support(t: Ticket) -> Closed { flow! { triage -> either(join(close), join(close)) } }

fn main() {}
