use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[gate(prompt = "Who?")]
fn ask(_: A, _: &str) -> B { B {} }

fn main() {}
