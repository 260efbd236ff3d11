use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node] fn style(_: &A) -> B { B {} }
#[node] fn security(_: &A) -> B { B {} }
#[node] fn decide(security: B, style: B) -> C { let _ = (security, style); C {} }

#[flow]
fn story(a: A) -> C { flow! { fork(style, security) -> join(decide) } }

fn main() {}
