use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
struct Priority;

#[gate(prompt = "Go on?", metadata = Priority)]
fn ask(_: A, _: bool) -> B { B {} }

fn main() {}
