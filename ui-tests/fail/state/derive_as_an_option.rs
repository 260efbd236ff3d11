use pravah_runtime::prelude::*;

#[state(Default)] struct A {}

fn main() {}
