use pravah_runtime::prelude::*;

struct A {}

#[node]
fn read(a: A) -> A { a }

fn main() {}
