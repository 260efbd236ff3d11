use pravah_runtime::prelude::*;

#[choice]
enum Which {}

fn main() {}
