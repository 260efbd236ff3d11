use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node] fn read(_: A) -> B { B {} }

/// You write.
#[agent(model = "openai://gpt-4o-mini", output = C)]
struct Write { text: String }

#[flow]
fn story(a: A) -> C { flow! { read -> Write } }

fn main() {}
