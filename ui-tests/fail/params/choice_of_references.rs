use pravah_runtime::prelude::*;

#[state] struct Ticket {}
#[state] struct Urgent {}
#[state] struct Normal {}
#[state] struct Done {}
#[node] fn sort(_: Ticket) -> Either<Urgent, Normal> { Either::Left(Urgent {}) }
#[node] fn close(_: Either<&Urgent, &Normal>) -> Done { Done {} }
#[flow] fn desk(ticket: Ticket) -> Done { flow! { sort -> either(close, close) } }

fn main() {}
