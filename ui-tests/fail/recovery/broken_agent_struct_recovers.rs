use pravah_runtime::prelude::*;

#[state] struct B {}
#[state] struct C {}

#[agent(model = "opnai://gpt-4o-mini", preamble = "You answer.", output = B)]
struct Ask { text: String }

#[node] fn read(_: B) -> C { C {} }

#[flow]
fn story(a: Ask) -> C { flow! { Ask -> read } }

fn main() {}
