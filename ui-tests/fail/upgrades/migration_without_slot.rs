use pravah_runtime::prelude::*;

#[state] struct Order {}
#[state] struct Brewed {}
#[state] struct Served {}

#[migrate]
fn moved(_: Brewed) -> Order { Order {} }

#[node]
fn serve(_: &Order) -> Served { Served {} }

#[flow(lock = "locks/coffee.lock", migrate(moved))]
fn coffee(order: Order) -> Served { flow! { serve } }

fn main() {}
