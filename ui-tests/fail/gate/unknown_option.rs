use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[gate(promt = "Go on?")]
fn ask(_: A, _: bool) -> B { B {} }

fn main() {}
