use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[node] fn read(_: A) -> B { B {} }

struct Nodes;

impl Nodes {
    #[flow]
    fn story(&self, a: A) -> B { flow! { read } }
}

fn main() {}
