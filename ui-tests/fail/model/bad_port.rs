use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[agent(model = "ollama://localhost:99999/llama3", preamble = "You answer.", output = B)]
fn ask(_: &A) -> String { String::new() }

fn main() {}
