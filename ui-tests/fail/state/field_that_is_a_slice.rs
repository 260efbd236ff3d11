use pravah_runtime::prelude::*;

#[state]
struct Order {
    lines: [u32],
}

#[node]
fn read(order: Order) -> Order { order }

fn main() {}
