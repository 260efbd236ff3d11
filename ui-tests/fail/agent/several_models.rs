use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

/// Reads.
#[agent(model = ["openai://a", "openai://b"], output = B)]
fn read(_: A) -> String { String::new() }

fn main() {}
