use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[node(model = "openai://m")]
fn read(_: A) -> B { B {} }

fn main() {}
