use pravah_runtime::prelude::*;

#[state]
#[schemars(rename = "Order@shop")]
struct Order { cups: u32 }

fn main() {}
