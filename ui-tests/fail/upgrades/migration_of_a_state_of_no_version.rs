use pravah_runtime::prelude::*;

#[state] struct Order {}
#[state] struct OldBrewed {}
#[state] struct Served {}

#[migrate(slot)]
fn moved(_: OldBrewed) -> Order { Order {} }

#[node]
fn serve(_: &Order) -> Served { Served {} }

#[flow(lock = "locks/coffee.lock", migrate(moved))]
fn coffee(order: Order) -> Served { flow! { serve } }

fn main() {}
