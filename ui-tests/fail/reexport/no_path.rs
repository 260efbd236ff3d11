use pravah_runtime::prelude::*;

#[state(crate)]
struct Order { cups: u32 }

fn main() {}
