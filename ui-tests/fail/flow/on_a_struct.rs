use pravah_runtime::prelude::*;

#[flow]
struct Story {}

fn main() {}
