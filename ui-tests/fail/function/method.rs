use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

impl A {
    #[node]
    fn read(self) -> B { B {} }
}

fn main() {}
