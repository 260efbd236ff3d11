use pravah_runtime::prelude::*;

#[state] struct Bill { cents: u32, #[serde(skip_serializing)] card: String }
#[state] struct Paid {}
#[node] fn pay(_: Bill) -> Paid { Paid {} }
#[flow] fn shop(bill: Bill) -> Paid { flow! { pay } }

fn main() {}
