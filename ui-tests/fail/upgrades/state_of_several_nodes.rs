use pravah_runtime::prelude::*;

#[state] struct Order {}
#[state] struct Brewed {}
#[state] struct Served {}

#[node] fn brew(_: Order) -> Brewed { Brewed {} }
#[node] fn taste(brewed: Brewed) -> Either<Brewed, Brewed> { Either::Left(brewed) }
#[node] fn hand_out(_: Brewed) -> Served { Served {} }
#[node] fn pour_away(_: Brewed) -> Served { Served {} }

#[flow(lock = "locks/coffee.lock")]
fn coffee(order: Order) -> Served { flow! { brew -> taste -> either(hand_out, pour_away) } }

fn main() {}
