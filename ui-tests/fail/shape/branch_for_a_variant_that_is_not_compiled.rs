use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[choice] enum Way { B(B), C(C), #[cfg(any())] A(A) }
#[node] fn split(_: A) -> Way { Way::B(B {}) }
#[node] fn b(_: B) -> C { C {} }
#[node] fn again(_: A) -> C { C {} }

#[flow]
fn story(a: A) -> C { flow! { split -> either(b -> done, done, again) } }

fn main() {}
