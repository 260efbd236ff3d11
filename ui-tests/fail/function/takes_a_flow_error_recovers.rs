use pravah_runtime::prelude::*;

#[state] struct Order {}
#[state] struct Bill {}

#[node] fn charge(_: Order) -> Result<Bill, FlowError> { Ok(Bill {}) }
#[node] fn refund(_: &FlowError) -> Bill { Bill {} }
#[flow] fn shop(order: Order) -> Bill { flow! { charge; catch(charge) -> refund } }

fn main() {}
