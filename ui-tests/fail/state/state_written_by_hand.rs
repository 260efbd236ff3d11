use pravah_runtime::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, JsonSchema)]
struct Order {}

impl State for Order {
    const NAME: &'static str = "Order";
    const TYPE_PATH: &'static str = "shop::Order";
}

fn main() {}
