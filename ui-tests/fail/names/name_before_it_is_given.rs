use pravah_runtime::prelude::*;

#[state] struct Ticket {}
#[state] struct Draft {}
#[state] struct Reply {}
#[node] fn write(_: Ticket) -> Draft { Draft {} }
#[node] fn tidy(draft: Draft) -> Draft { draft }
#[node] fn publish(_: Draft) -> Reply { Reply {} }
#[flow] fn desk(ticket: Ticket) -> Reply { flow! { write -> again -> tidy; tidy as again -> publish } }

fn main() {}
