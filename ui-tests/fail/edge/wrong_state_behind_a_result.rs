use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[node] async fn read(_: &A) -> Result<B, std::fmt::Error> { Ok(B {}) }
#[node] async fn write(_: &C, _: Context) -> D { D {} }

#[flow]
fn story(a: A) -> D { flow! { read -> write } }

fn main() {}
