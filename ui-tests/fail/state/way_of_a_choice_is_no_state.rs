use pravah_runtime::prelude::*;

#[state] struct A {}
struct B {}

#[choice]
enum Which { A(A), B(B) }

fn main() {}
