use pravah_runtime::prelude::*;

#[derive(Clone)]
struct Price { cents: u32 }

#[state]
#[derive(Clone)]
struct Order { price: Price }

fn main() {}
