use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[agent(model = "openai://m", preamble = "Answer.", output = Result<B, FlowError>)]
fn ask(_: &A) -> String { String::new() }

fn main() {}
