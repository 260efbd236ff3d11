use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

/// You answer.
#[agent(model = "openai://m", output = String)]
fn answer(_: &A) -> String { String::new() }
#[node] fn read(_: B) -> B { B {} }

#[flow] fn story(a: A) -> B { flow! { answer -> read } }

fn main() {}
