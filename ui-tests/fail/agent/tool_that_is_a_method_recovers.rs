use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
struct Store;

/// Reads.
#[agent(model = "openai://gpt-4o-mini", output = B, tools = [Store::search], approve = all)]
fn read(_: A) -> String { String::new() }

#[flow]
fn story(a: A) -> B { flow! { read } }

fn main() {}
