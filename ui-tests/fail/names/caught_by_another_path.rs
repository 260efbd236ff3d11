use pravah_runtime::prelude::*;

#[state] struct A { n: u32 }
#[state] struct B { n: u32 }
mod nodes {
    use super::*;
    #[node] pub(super) fn one(a: A) -> Result<B, String> { Ok(B { n: a.n }) }
}
use nodes::one;
#[node] fn give_up(failure: Failure<A>) -> B { B { n: failure.input.n } }

#[flow]
fn story(a: A) -> B { flow! { nodes::one -> done; catch(one) -> give_up -> done } }

fn main() {}
