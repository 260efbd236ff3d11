use pravah_runtime::prelude::*;

#[state] struct Purchase {}
#[state] struct Brewed {}
#[state] struct Served {}

#[node] fn brew(_: Purchase) -> Brewed { Brewed {} }
#[node] fn serve(_: Brewed) -> Served { Served {} }

#[flow(lock = "locks/coffee.lock", migrate(purchase))]
fn coffee(purchase: Purchase) -> Served { flow! { brew -> serve } }

#[state] struct Order {}

#[migrate(slot)]
fn purchase(_: Order) -> Purchase { Purchase {} }

fn main() {}
