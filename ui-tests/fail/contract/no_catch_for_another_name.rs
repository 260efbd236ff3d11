use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[agent(model = "openai://gpt-4o-mini", preamble = "You decide.", output = B, contract)]
fn ask(_: &A) -> String { String::new() }

#[flow]
fn story(a: A) -> B { flow! { ask as confirm } }

fn main() {}
