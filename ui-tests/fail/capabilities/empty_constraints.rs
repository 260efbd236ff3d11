use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

/// Answers.
#[agent(model = "openai://gpt-4o-mini", output = B, constraints())]
struct Ask {}

fn main() {}
