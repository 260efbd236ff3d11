use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[node] fn read(_: A) -> B { B {} }

#[flow(continue_on_error = true)]
fn story(a: A) -> B { flow! { read } }

fn main() {}
