use pravah_runtime::prelude::*;

#[state] struct A {}
struct B {}

#[node]
fn mend(_: Failure<B>) -> A { A {} }

fn main() {}
