use pravah_runtime::prelude::*;

#[state] struct B {}
#[state] struct C {}

#[choice]
enum Which { B(B), C { c: C } }

fn main() {}
