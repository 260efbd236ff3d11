use pravah_runtime::prelude::*;

#[state] struct Order {}
#[state] struct Stock {}
#[state] struct Packed {}
#[state] struct Shipped {}
#[node] fn accept(_: Order) -> (Packed, Stock) { todo!() }
#[node] fn ship(_: Packed, _: Stock, _: Order) -> Result<Shipped, String> { todo!() }
#[node] fn excuse(_: Failure<(Packed, Stock)>) -> Shipped { Shipped {} }

#[flow]
fn order(o: Order) -> Shipped {
    flow! { accept -> fork(join(ship), join(ship)); catch(ship) -> excuse }
}

fn main() {}
