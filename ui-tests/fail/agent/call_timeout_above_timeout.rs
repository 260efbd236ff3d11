use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[agent(model = "openai://m", preamble = "P", output = B, call_timeout = "90s", timeout = "60s")]
fn ask(_: &A) -> String { String::new() }

fn main() {}
