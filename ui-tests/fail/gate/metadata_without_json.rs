use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[gate(prompt = "Go on?", metadata = { "priority": "high" })]
fn ok(_: A, _: bool) -> B { B {} }

fn main() {}
