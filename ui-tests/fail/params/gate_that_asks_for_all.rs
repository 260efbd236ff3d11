use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[gate(prompt = "Go on?")]
fn ask(_: A, _: Context, _: Files) -> B { B {} }

#[flow]
fn story(a: A) -> B { flow! { ask } }

fn main() {}
