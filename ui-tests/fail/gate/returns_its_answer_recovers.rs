use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[node] fn read(a: A) -> A { a }
#[gate(prompt = "Go on?")] fn ask(_: A, yes: bool, _: Files) -> Result<bool, FlowError> { Ok(yes) }
#[node] fn write(_: A) -> B { B {} }
#[flow] fn story(a: A) -> B { flow! { read -> ask -> write } }

fn main() {}
