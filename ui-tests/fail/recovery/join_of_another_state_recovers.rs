use pravah_runtime::prelude::*;

#[state] struct Order {}
#[state] struct Tea {}
#[state] struct Cake {}
#[state] struct Cup {}
#[state] struct Plate {}
#[state] struct Served {}

#[node] fn accept(_: Order) -> (Tea, Cake) { todo!() }
#[node] fn brew(_: Tea) -> Cup { Cup {} }
#[node] fn cut(_: Cake) -> Plate { Plate {} }
#[node] fn serve(_: Cup, _: Cake) -> Served { Served {} }

#[flow] fn tea(order: Order) -> Served { flow! { accept -> fork(brew, cut) -> join(serve) } }

fn main() {}
