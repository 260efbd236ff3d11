use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct Decision {}

struct Gates;

impl Gates {
    #[gate(prompt = "Publish this?")]
    fn approve(_: A, _: Decision) -> B { B {} }
}

fn main() {}
