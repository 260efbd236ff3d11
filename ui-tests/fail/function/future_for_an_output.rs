use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[node]
fn read(_: A) -> impl Future<Output = B> { async { B {} } }

fn main() {}
