use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
mod nodes {
    use super::*;
    #[node] pub(super) fn read(_: A) -> B { B {} }
}
#[deny(unused_imports)]
use nodes::read;

#[flow]
fn story(a: A) -> B { flow! { read -> } }

fn main() {}
