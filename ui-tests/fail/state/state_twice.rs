use pravah_runtime::prelude::*;

#[state]
#[state]
struct A {}

fn main() {}
