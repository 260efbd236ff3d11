use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[gate(prompt = "Go on?")]
fn ask(_yes: bool, _: A) -> B { B {} }
#[flow] fn story(a: A) -> B { flow! { ask } }

fn main() {}
