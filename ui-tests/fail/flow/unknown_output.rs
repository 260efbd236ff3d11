use pravah_runtime::prelude::*;

#[state] struct Ticket { text: String }
#[state] struct Answer { text: String }

#[node] fn read(_: Ticket) -> Answer { todo!() }

#[flow] fn support(_: Ticket) -> Reply { flow! { read } }

fn main() {}
