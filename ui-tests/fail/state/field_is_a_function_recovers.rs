use pravah_runtime::prelude::*;

#[state]
struct Order { price: Box<dyn Fn(u32) -> u32> }
#[state] struct Bill { cents: u32 }

#[node]
fn bill(order: Order) -> Bill { Bill { cents: (order.price)(2) } }

#[flow]
fn sell(order: Order) -> Bill { flow! { bill } }

async fn start() -> Result<Bill, FlowError> {
    sell(Order { price: Box::new(|cups| cups * 250) }, Context::default()).await
}

fn main() {}
