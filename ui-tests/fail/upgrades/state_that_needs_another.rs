use pravah_runtime::prelude::*;

#[state] struct A {} #[state] struct B {} #[state] struct C {} #[state] struct Z {}

#[node] fn begin(_: A) -> (B, C) { (B {}, C {}) }
#[node] fn meet(_: B, _: C) -> Z { Z {} }

#[flow(lock = "locks/forwards.lock")]
fn both(a: A) -> Z { flow! { begin -> fork(join(meet), join(meet)) } }

fn main() {}
