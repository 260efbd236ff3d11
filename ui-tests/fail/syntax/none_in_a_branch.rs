use pravah_runtime::prelude::*;

#[state] struct Ticket {}
#[state] struct Draft {}
#[state] struct Reply {}
#[node] fn answer(_: Ticket) -> Either<Reply, Draft> { Either::Left(Reply {}) }
#[flow] fn desk(ticket: Ticket) -> Reply { flow! { answer -> either(done, None) } }

fn main() {}
