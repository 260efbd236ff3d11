use pravah_runtime::prelude::*;

#[agent(model = "openai://m", preamble = "P", output = B, timeout = "2m", total_timeout = "1m")]
struct A {}
#[state] struct B {}
#[state] struct C {}
#[node] fn write(_: B) -> C { C {} }

#[flow]
fn story(a: A) -> C { flow! { A -> write } }

fn main() { let _ = story; }
