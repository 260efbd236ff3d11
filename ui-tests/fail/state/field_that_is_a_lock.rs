use std::sync::{Arc, Mutex};

use pravah_runtime::prelude::*;

#[state] struct Order { lines: Arc<Mutex<Vec<String>>>, #[serde(skip)] cache: Arc<Mutex<u8>> }
#[state] struct Paid {}
#[node] fn pay(_: Order) -> Paid { Paid {} }
#[flow] fn shop(order: Order) -> Paid { flow! { pay } }

fn main() {}
