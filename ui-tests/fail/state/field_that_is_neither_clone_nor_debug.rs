use pravah_runtime::prelude::*;

#[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
struct Price { cents: u32 }

#[state]
struct Order { cups: u32, price: Price }

fn main() {}
