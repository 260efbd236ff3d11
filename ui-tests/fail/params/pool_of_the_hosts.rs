use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
struct Pool;

#[node]
async fn read(_: A, _: &Pool, _: Files) -> B { B {} }

fn main() {}
