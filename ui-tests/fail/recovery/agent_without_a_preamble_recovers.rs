use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}

#[agent(model = "openai://gpt-4o-mini", output = B)]
fn ask(_: &A) -> String { String::new() }

#[node] fn close(_: B) -> C { C {} }

#[flow]
fn story(a: A) -> C { flow! { ask -> close } }

fn main() {}
