use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[node] fn read(_: A) -> B { B {} }

#[flow]
impl Flow for A {
    fn build() -> Result<FlowGraph, FlowError> { flow! { read } }
}

fn main() {}
