use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
struct Ticket;

#[node]
fn read(_: A, _: Input<Ticket>) -> B { B {} }

fn main() {}
