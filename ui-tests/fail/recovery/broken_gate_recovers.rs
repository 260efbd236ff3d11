use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[gate]
fn ask(_: A, _: bool) -> B { B {} }

#[flow]
fn story(a: A) -> B { flow! { ask } }

fn main() {}
