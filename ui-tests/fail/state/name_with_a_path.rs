use pravah_runtime::prelude::*;

#[state]
#[serde(rename = "shop::Order")]
struct Order { cups: u32 }

fn main() {}
