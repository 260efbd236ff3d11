use pravah_runtime::prelude::*;

#[state] struct OldOrder {}

#[migrate]
fn order(_: OldOrder) {}

fn main() {}
