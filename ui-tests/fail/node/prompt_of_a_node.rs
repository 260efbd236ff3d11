use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[node(prompt = "Publish?")]
fn read(_: A) -> B { B {} }

fn main() {}
