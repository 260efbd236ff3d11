use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state]
#[choice]
enum Way { A(A), B(B) }

fn main() {}
