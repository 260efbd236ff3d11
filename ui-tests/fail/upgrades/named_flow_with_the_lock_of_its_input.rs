use pravah_runtime::prelude::*;

#[state] struct Order {}
#[state] struct Brewed {}
#[state] struct Served {}

#[node] fn brew(_: Order) -> Brewed { Brewed {} }
#[node] fn serve(_: Brewed) -> Served { Served {} }

#[flow(named, lock = "locks/coffee.lock")]
fn coffee(order: Order) -> Served { flow! { brew -> serve } }

fn main() {}
