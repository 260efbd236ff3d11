use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
struct Yes;

#[gate(prompt = "Go on?")]
fn ask(_: A, _: Yes) -> B { B {} }

fn main() {}
