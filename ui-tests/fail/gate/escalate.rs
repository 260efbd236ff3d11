use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[gate(prompt = "Go on?", timeout = "24h", escalate = "the boss")]
fn ask(_: A, _: bool) -> B { B {} }

fn main() {}
