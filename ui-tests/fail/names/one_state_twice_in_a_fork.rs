use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[node]
fn split(_: A) -> (B, B) { (B {}, B {}) }

fn main() {}
