use pravah_runtime::prelude::*;

#[node]
struct Read {}

fn main() {}
