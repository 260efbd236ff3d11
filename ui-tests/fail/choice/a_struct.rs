use pravah_runtime::prelude::*;

#[choice]
struct Which {}

fn main() {}
