use pravah_runtime::prelude::*;

#[state] struct Request {}
#[state] struct Brewed {}
#[state] struct Served {}

#[node] fn brew(_: Request) -> Brewed { Brewed {} }
#[node] fn serve(_: Brewed) -> Served { Served {} }

#[flow(lock = "locks/coffee.lock")]
fn coffee(request: Request) -> Served { flow! { brew -> serve } }

fn main() {}
