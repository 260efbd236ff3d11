use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node(timeout("1s"))]
async fn read(_: A) -> B { B {} }

fn main() {}
