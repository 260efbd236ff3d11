use pravah_runtime::prelude::*;

#[state] struct A {}

#[node]
fn read(a: A) -> impl State { a }

fn main() {}
