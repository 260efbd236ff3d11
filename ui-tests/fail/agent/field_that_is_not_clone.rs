use pravah_runtime::prelude::*;

#[derive(Debug, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
struct Price { cents: u32 }

#[state] struct B {}

/// You judge prices.
#[agent(model = "openai://gpt-4o-mini", output = B)]
struct Ask { price: Price }

fn main() {}
