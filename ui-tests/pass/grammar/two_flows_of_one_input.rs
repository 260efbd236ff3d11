use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node] fn read(_: A) -> B { B {} }
#[node] fn write(_: A) -> C { C {} }
#[flow] fn reading(a: A) -> B { flow! { read } }
#[flow(named)] fn writing(a: A) -> C { flow! { write } }

fn start() -> Result<FlowRuntime<writing>, FlowError> { writing::start(A {}) }
pub fn main() { let _ = (start, FlowRuntime::new(A {})); }
