use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[flow]
fn story(a: A) -> B { flow! { |a: A| B {} } }

fn main() {}
