use pravah_runtime::prelude::*;

#[state]
#[serde(rename = "")]
struct Order { cups: u32 }

fn main() {}
