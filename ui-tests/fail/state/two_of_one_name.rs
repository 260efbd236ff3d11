use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[state]
struct A { text: String }

fn main() {}
