use pravah_runtime::prelude::*;

#[state] struct A {} #[state] struct B {} #[state] struct C {} #[state] struct Z {}

#[node] fn left(_: A) -> Z { Z {} }
#[node] fn split(_: Z) -> (B, C) { (B {}, C {}) }
#[node] fn meet(_: B, _: C) -> Z { Z {} }

#[flow(lock = "locks/two_starts.lock")]
fn one(a: A) -> Z { flow! { left -> split as cut -> fork(join(meet), join(meet)) } }

fn main() {}
