use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
struct C {}

#[node]
fn read(_: A) -> (B, C) { (B {}, C {}) }

fn main() {}
