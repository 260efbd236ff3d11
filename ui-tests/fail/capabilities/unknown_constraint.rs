use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

/// Answers.
#[agent(model = "openai://gpt-4o-mini", output = B, constraints(no_secrets))]
struct Ask {}

fn main() {}
