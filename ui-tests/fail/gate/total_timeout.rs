use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[gate(prompt = "Go on?", total_timeout = "24h")]
fn ask(_: A, answer: bool) -> B { let _ = answer; B {} }

fn main() {}
