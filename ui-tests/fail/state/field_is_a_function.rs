use pravah_runtime::prelude::*;

#[state]
struct Order { price: fn(u32) -> u32 }

fn main() {}
