use pravah_runtime::prelude::*;

#[state] struct Order {}
#[state] struct Served {}

#[node]
fn serve(_: &Order) -> Served { Served {} }

#[flow(lock = "locks/conflict.lock")]
fn coffee(order: Order) -> Served { flow! { serve } }

fn main() {}
