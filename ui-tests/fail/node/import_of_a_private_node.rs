use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

mod nodes {
    use super::*;
    #[node] fn read(_: A) -> B { B {} }
}
use nodes::read;

#[flow]
fn story(a: A) -> B { flow! { read } }

fn main() {}
