use pravah_runtime::prelude::*;

trait Prices: Send + Sync {
    fn cents(&self) -> u32;
}

#[state] struct Order { cups: u32 }
#[state] struct Bill { cents: u32 }

#[gate(prompt = "Is it paid?")]
fn pay(order: &Order, prices: &dyn Prices, _yes: bool) -> Bill {
    Bill { cents: order.cups * prices.cents() }
}

fn main() {}
