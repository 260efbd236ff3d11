use pravah_runtime::prelude::*;

#[state] struct B {}

#[choice]
enum Which { B(B), Nothing }

fn main() {}
