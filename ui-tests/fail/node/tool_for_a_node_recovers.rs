use pravah_runtime::prelude::*;

#[state] struct Order {}
#[state] struct Bill {}
#[state] struct Receipt {}

/// Charges an order.
#[tool] async fn r#move(_order: Order) -> Result<Bill, ToolError> { Ok(Bill {}) }
#[node] fn print(_: Bill) -> Either<Receipt, Order> { Either::Left(Receipt {}) }
#[node] fn refund(_: Failure<Order>) -> Receipt { Receipt {} }
#[flow] fn shop(order: Order) -> Receipt {
    flow! { r#move -> print -> either(done, r#move); catch(r#move) -> refund }
}

fn main() {}
