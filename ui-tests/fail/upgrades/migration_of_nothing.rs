use pravah_runtime::prelude::*;

#[state] struct Order {}

#[migrate]
fn order() -> Order { Order {} }

fn main() {}
