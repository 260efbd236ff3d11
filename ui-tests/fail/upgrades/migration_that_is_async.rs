use pravah_runtime::prelude::*;

#[state] struct OldOrder {}
#[state] struct Order {}

#[migrate]
async fn order(_: OldOrder) -> Order { Order {} }

fn main() {}
