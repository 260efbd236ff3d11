use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[agent(model = "opnai://gpt-4o-mini", preamble = "You answer.", output = B)]
fn ask(_: &A) -> String { String::new() }

#[flow]
fn story(a: A) -> B { flow! { ask } }

fn main() {}
