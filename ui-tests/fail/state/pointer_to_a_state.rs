use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[node]
fn read(_: std::sync::Arc<A>) -> B { B {} }

fn main() {}
