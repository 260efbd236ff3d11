use pravah_runtime::prelude::*;

struct Price { cents: u32 }

#[state]
enum Order { Coffee(Option<Price>), Tea }

fn main() {}
