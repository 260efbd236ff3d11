use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[node]
#[gate(prompt = "On?")]
fn ask(_: A, go: bool) -> B { drop(go); B {} }

#[flow]
fn story(a: A) -> B { flow! { ask } }

fn main() {}
