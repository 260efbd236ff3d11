use pravah_runtime::prelude::*;

#[state]
union Number { whole: u32, part: f32 }

fn main() {}
