use pravah_runtime::prelude::*;

#[state] struct A {} #[state] struct Z {}

#[node] fn answer(_: A) -> Z { Z {} }

#[flow(named, lock = "locks/other_start.lock")]
fn tell(a: A) -> Z { flow! { answer } }

fn main() {}
