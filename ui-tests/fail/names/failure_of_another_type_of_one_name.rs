use pravah_runtime::prelude::*;

mod kitchen {
    use super::*;
    #[state] pub struct Order {}
    #[node] pub fn apologise(_: Failure<Order>) -> super::Served { todo!() }
}

#[state] pub struct Order {}
#[state] pub struct Served {}

#[node] fn serve(_: Order) -> Served { Served {} }

#[flow] fn dinner(order: Order) -> Served { flow! { serve; catch(serve) -> kitchen::apologise } }

fn main() {}
