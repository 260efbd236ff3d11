use pravah_runtime::prelude::*;

struct A {}
#[state] struct B {}
#[state] struct C {}
#[node] fn read(_: B) -> C { C {} }

#[flow]
impl Flow for A {
    type Output = C;
    fn build() -> Result<FlowGraph, FlowError> { flow! { read } }
}

fn main() {}
