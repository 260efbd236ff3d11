use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node] fn owned(_: A) -> B { B {} }
#[node] async fn borrowed(_: &B, _: Context) -> Result<C, FlowError> { Ok(C {}) }

#[flow]
fn story(a: A) -> C { flow! { owned -> borrowed } }

pub fn main() { let _: B = owned(A {}); }
