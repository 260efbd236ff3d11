use pravah_runtime::prelude::*;

#[state] struct B {}

#[agent(model = "openai://gpt-4o-mini", output = B)]
struct Ask { text: String }

fn main() {}
