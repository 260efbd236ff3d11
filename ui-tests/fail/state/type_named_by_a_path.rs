use pravah_runtime::prelude::*;

mod shop {
    pub struct Order { pub cups: u32 }
}
#[state] struct Bill { cents: u32 }

#[node] fn pay(order: shop::Order) -> Bill { Bill { cents: order.cups } }
#[node] async fn read(order: &shop::Order) -> Bill { Bill { cents: order.cups } }
#[node] async fn order(bill: Bill) -> shop::Order { shop::Order { cups: bill.cents } }
#[node] async fn reorder(bill: Bill) -> Result<shop::Order, FlowError> { Ok(shop::Order { cups: bill.cents }) }

fn main() {}
