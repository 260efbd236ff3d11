use pravah_runtime::prelude::*;

#[state] struct A {}

#[flow]
fn nothing(a: A) -> A { flow! {} }

fn main() {}
