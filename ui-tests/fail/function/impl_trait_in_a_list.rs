use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[node]
fn all(_: Each<impl State>) -> B { B {} }

fn main() {}
