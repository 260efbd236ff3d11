use pravah_runtime::prelude::*;

#[state] struct A {} #[state] struct B {} #[state] struct Z {}

#[node] fn split(_: A) -> (B, B) { (B {}, B {}) }
#[node] fn merge(left: B, right: B) -> Z { drop((left, right)); Z {} }

#[flow(lock = "locks/twice.lock")]
fn both(a: A) -> Z { flow! { split -> fork(join(merge), join(merge)) } }

fn main() {}
