use pravah_runtime::prelude::*;
use std::sync::Arc;

#[state] struct Order {}
#[state] struct Bill {}

trait Prices: Send + Sync {}

#[node] fn charge(_: Order, _prices: Arc<dyn Prices>) -> Bill { Bill {} }

fn main() {}
