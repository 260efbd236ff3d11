use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

/// Answers.
#[agent(model = "openai://gpt-4o-mini", output = B, constraints(no_credentials))]
fn answer(_: A, _: Dep<u32>) -> String { String::new() }

fn main() {}
