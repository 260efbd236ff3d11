use pravah_runtime::prelude::*;

struct OldOrder {}
#[state] struct Order {}

#[migrate]
fn order(_: OldOrder) -> Order { Order {} }

fn main() {}
