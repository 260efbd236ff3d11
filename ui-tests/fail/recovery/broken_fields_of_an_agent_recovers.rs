use pravah_runtime::prelude::*;

#[state] struct B {}

/// You answer.
#[agent(model = "openai://m", output = B)]
struct Ask { x: u32 y: u32 }

#[flow]
fn story(ask: Ask) -> B { flow! { Ask } }

fn main() {}
