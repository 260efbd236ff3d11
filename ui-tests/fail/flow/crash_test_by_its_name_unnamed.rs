use pravah_runtime::{prelude::*, testing::CrashTest};

#[state] struct Order { cups: u32 }
#[state] struct Served { cups: u32 }

#[node] fn serve(order: Order) -> Served { Served { cups: order.cups } }
#[flow] fn coffee(order: Order) -> Served { flow! { serve } }

fn main() {
    let _test = CrashTest::<coffee>::new(|| Order { cups: 2 });
}
