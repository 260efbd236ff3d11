use pravah_runtime::prelude::*;

#[derive(Clone, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
struct Price { cents: u32 }

#[state(manual(Clone))]
struct Order(Vec<Price>);

fn main() {}
