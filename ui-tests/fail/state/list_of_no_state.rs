use pravah_runtime::prelude::*;

#[state] struct A {}
struct B {}

#[node]
fn read(_: A) -> Each<B> { Each::from(vec![]) }

fn main() {}
