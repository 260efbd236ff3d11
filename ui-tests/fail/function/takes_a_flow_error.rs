use pravah_runtime::prelude::*;

#[state] struct Order {}
#[state] struct Bill {}

#[node] fn refund(_: FlowError) -> Bill { Bill {} }

fn main() {}
