use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

impl B {
    #[node]
    fn read(_: A) -> Self { B {} }
}

fn main() {}
