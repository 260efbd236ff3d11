use pravah_runtime::prelude::*;

struct Counter { n: u32 }
#[state] struct Order { n: u32 }
#[state] struct Bill { number: u32 }
#[node] fn bill(_: Order, counter: &mut Dep<Counter>) -> Bill { Bill { number: counter.n } }

fn main() {}
