use pravah_runtime::prelude::*;

#[state] struct B {}

#[agent(model = "openai://gpt-4o-mini", preamble = "You answer.", output = B)]
struct Ask<T> { text: T }

fn main() {}
