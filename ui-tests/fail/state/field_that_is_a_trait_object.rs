use pravah_runtime::prelude::*;

#[state]
struct Order {
    price: dyn std::fmt::Debug + Send + Sync,
}

#[node]
fn read(order: Order) -> Order { order }

fn main() {}
