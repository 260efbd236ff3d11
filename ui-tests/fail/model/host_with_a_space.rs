use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

/// You answer.
#[agent(model = "ollama://my host:11434/llama3", output = B)]
fn ask(_: &A) -> String { "Hello".into() }

fn main() {}
