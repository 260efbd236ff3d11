use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[gate(prompt = "Go on?")]
fn ask(_: A, yes: bool) -> bool { yes }

fn main() {}
