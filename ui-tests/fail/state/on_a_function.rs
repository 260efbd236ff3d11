use pravah_runtime::prelude::*;

#[state]
fn page() {}

fn main() {}
