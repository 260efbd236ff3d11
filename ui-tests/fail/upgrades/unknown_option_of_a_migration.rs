use pravah_runtime::prelude::*;

#[state] struct OldOrder {}
#[state] struct Order {}

#[migrate(from = "OldOrder")]
fn order(_: OldOrder) -> Order { Order {} }

fn main() {}
