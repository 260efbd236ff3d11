use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[gate(prompt = "Go on?", retry(max_attempts = 3))]
fn ask(_: A, answer: bool) -> B { let _ = answer; B {} }

fn main() {}
