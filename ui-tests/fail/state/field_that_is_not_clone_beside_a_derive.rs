use pravah_runtime::prelude::*;

#[derive(Debug, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
struct Price { cents: u32 }

#[state]
#[derive(Debug)]
enum Order { Coffee(Price), Tea }

fn main() {}
