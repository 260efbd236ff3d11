use pravah_runtime::prelude::*;

#[state] struct Ticket { text: String }
#[state] struct Answer { text: String }

#[node] fn read(ticket: Ticket) -> Either<Answer, Refusal> { todo!() }

fn main() {}
