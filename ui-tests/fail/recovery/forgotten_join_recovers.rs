use pravah_runtime::prelude::*;

#[state] struct Ticket {}
#[state] struct Urgent {}
#[state] struct Calm {}
#[state] struct Paged {}
#[state] struct Answered {}
#[state] struct Closed {}
#[node] fn route(_: Ticket) -> Either<Urgent, Calm> { todo!() }
#[node] fn page(_: Urgent) -> Paged { Paged {} }
#[node] fn answer(_: Calm) -> Answered { Answered {} }
#[node] fn close(_: Either<Paged, Answered>) -> Closed { Closed {} }

#[flow] fn support(t: Ticket) -> Closed { flow! { route -> either(page -> join(close), answer) } }

fn main() {}
