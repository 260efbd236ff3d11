use pravah_runtime::prelude::*;

#[state(crate = "pravah_runtime")]
struct Order { cups: u32 }

fn main() {}
