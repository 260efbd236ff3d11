use pravah_runtime::prelude::*;

#[state] struct Order {}
#[state] struct Dish {}
#[state] struct Plate {}
#[state] struct Bill {}

#[node] fn plan(_: Order) -> Each<Dish> { todo!() }
#[node] fn cook(_: Dish) -> Plate { Plate {} }
#[node] fn charge(_: &Each<Plate>) -> Bill { Bill {} }

#[flow] fn dinner(order: Order) -> Bill { flow! { plan -> each(cook -> charge) } }

fn main() {}
