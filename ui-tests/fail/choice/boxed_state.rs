use pravah_runtime::prelude::*;

#[state] struct Refund { cents: u32 }
#[state] struct Answer { text: String }

#[choice]
enum Reply { Refund(Box<Refund>), Answer(Answer) }

fn main() {}
