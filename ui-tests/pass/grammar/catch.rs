use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node] fn read(_: A) -> Result<B, std::fmt::Error> { Err(std::fmt::Error) }
#[node] fn write(_: B) -> C { C {} }
#[node] fn mend(_: Failure<A>) -> B { B {} }

#[flow]
fn story(a: A) -> C { flow! { read -> write; catch(read) -> mend -> write } }

pub fn main() {}
