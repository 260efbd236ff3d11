use pravah_runtime::prelude::*;

#[state] struct B {}
#[state] struct C {}

#[choice(manual)]
enum Which { B(B), C(C) }

fn main() {}
