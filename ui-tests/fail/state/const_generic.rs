use pravah_runtime::prelude::*;

#[state]
struct Page<const N: usize> { count: u32 }

fn main() {}
