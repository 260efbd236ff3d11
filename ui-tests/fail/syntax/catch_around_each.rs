use pravah_runtime::prelude::*;

#[state] struct A { n: u32 }
#[state] struct B { n: u32 }
#[node] fn split(a: A) -> Each<A> { [a].into_iter().collect() }
#[node] fn one(a: A) -> Result<B, String> { Ok(B { n: a.n }) }
#[node] fn all(items: Each<B>) -> B { B { n: items.into_iter().count() as u32 } }
#[node] fn give_up(failure: Failure<A>) -> B { B { n: failure.input.n } }

#[flow]
fn story(a: A) -> B { flow! { split -> each(one) -> all -> done; catch(each(one)) -> give_up -> done } }

fn main() {}
