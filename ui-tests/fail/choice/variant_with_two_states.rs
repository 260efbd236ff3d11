use pravah_runtime::prelude::*;

#[state] struct B {}
#[state] struct C {}

#[choice]
enum Which { B(B), Both(B, C) }

fn main() {}
