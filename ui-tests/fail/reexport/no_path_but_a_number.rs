use pravah_runtime::prelude::*;

#[state(crate = 1)]
struct Order { cups: u32 }

fn main() {}
