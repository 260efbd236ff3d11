use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[gate(prompt = "Go on?", timeout = "24")]
fn ask(_: A, answer: bool) -> B { let _ = answer; B {} }

fn main() {}
