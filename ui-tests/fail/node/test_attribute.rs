use pravah_runtime::prelude::*;

#[state] struct Ticket {}
#[state] struct Reply {}
#[node]
#[test]
fn answer(_: Ticket) -> Reply { Reply {} }

fn main() {}
