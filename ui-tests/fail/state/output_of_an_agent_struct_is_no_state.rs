use pravah_runtime::prelude::*;

struct B {}

/// You answer.
#[agent(model = "openai://gpt-4o-mini", output = B)]
struct Ask { text: String }

fn main() {}
