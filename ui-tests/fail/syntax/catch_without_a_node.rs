use pravah_runtime::prelude::*;

#[state] struct A { n: u32 }
#[state] struct B { n: u32 }
#[node] fn one(a: A) -> Result<B, String> { Ok(B { n: a.n }) }
#[node] fn give_up(failure: Failure<A>) -> B { B { n: failure.input.n } }

#[flow]
fn story(a: A) -> B { flow! { one -> done; catch -> give_up -> done } }

fn main() {}
