use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node] fn read(_: A) -> B { B {} }
mod nodes {
    use super::{B, C};
    pub fn write(_: B) -> C { C {} }
}

#[flow]
fn story(a: A) -> C { flow! { read -> nodes::write } }

fn main() {}
