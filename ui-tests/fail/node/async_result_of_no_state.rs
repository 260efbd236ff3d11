use pravah_runtime::prelude::*;

#[state]
struct Order {
    cups: u32,
}

struct Served {
    cups: u32,
}

#[node]
async fn serve(order: Order) -> Result<Served, FlowError> {
    Ok(Served { cups: order.cups })
}

fn main() {}
