use pravah_runtime::prelude::*;

#[state]
struct Order {
    currency: str,
}

#[node]
fn read(order: Order) -> Order { Order { currency: order.currency.clone() } }

fn main() {}
