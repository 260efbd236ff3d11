use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

/// You answer.
#[agent(model = "ollama://[zz]:11434/llama3", output = B)]
fn ask(_: &A) -> String { "Hello".into() }

fn main() {}
