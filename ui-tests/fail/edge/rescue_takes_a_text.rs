use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[node] fn read(_: A) -> Result<B, std::fmt::Error> { Ok(B {}) }
#[node] fn rescue(_: String) -> B { B {} }

#[flow]
fn story(a: A) -> B { flow! { read; catch(read) -> rescue } }

fn main() {}
