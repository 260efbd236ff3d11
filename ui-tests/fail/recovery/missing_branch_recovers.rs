use pravah_runtime::prelude::*;

#[state] struct Order {}
#[state] struct Tea {}
#[state] struct Cake {}
#[state] struct Bill {}
#[state] struct Served {}

#[node] fn accept(_: Order) -> (Tea, Cake, Bill) { todo!() }
#[node] fn brew(tea: Tea) -> Tea2 { Tea2(tea) }
#[state] struct Tea2(Tea);
#[node] fn serve(_: Tea2, _: Cake, _: Bill) -> Served { Served {} }

#[flow] fn tea(order: Order) -> Served { flow! { accept -> fork(brew, join(serve)) -> join(serve) } }

fn main() {}
