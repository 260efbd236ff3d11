use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

struct Nodes;

impl Nodes {
    #[node]
    fn read(_: A) -> B { B {} }
}

fn read_it() -> B { Nodes::read(A {}) }

fn main() {}
