use pravah_runtime::prelude::*;

#[state] struct Order {}
#[state] struct Cup {}
#[state] struct Served {}
#[state] struct Washed {}

#[node] fn accept(_: Order) -> (Cup, Cup) { todo!() }
#[node] fn serve(_: Cup) -> Served { Served {} }
#[node] fn wash(_: Cup) -> Washed { Washed {} }
#[node] fn close(_: Served, _: Washed) -> Order { Order {} }

#[flow] fn tea(order: Order) -> Order { flow! { accept -> fork(serve, wash) -> join(close) } }

fn main() {}
