use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

struct Nodes;

impl Nodes {
    fn read(_: A) -> B { B {} }
}

#[flow]
fn story(a: A) -> B { flow! { Nodes::read } }

fn main() {}
