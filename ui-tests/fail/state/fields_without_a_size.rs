use pravah_runtime::prelude::*;

#[state]
struct Order {
    currency: str,
    lines: [u32],
}

#[state]
enum Answer {
    Text(str),
}

#[node]
fn read(order: &Order) -> Answer { Answer::Text(order.currency.clone()) }

fn main() {}
