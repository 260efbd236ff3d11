use pravah_runtime::prelude::*;

#[state] struct Order {}
#[state] struct Bill {}

trait Prices: Send + Sync {}

#[node] fn charge(_: Order, _prices: &dyn Prices) -> Bill { Bill {} }
#[flow] fn shop(order: Order) -> Bill { flow! { charge } }

fn main() {}
