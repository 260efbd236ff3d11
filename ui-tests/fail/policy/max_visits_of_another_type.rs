use pravah_runtime::prelude::*;

const MOST: u64 = 3;

#[state] struct Ticket {}

#[node(max_visits = MOST)] fn read(ticket: Ticket) -> Ticket { ticket }

fn main() {}
