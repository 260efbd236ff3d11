use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[state] struct E {}
#[choice] enum Which { B(B), C(C), D(D) }
#[node] fn read(_: A) -> Result<Which, FlowError> { Ok(Which::B(B {})) }
#[node] fn c(_: C) -> E { E {} }
#[node] fn d(_: D) -> E { E {} }

#[flow]
fn story(a: A) -> E { flow! { read -> either(c, d) } }

fn main() {}
