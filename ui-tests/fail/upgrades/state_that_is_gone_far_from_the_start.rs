use pravah_runtime::prelude::*;

#[state] struct A {} #[state] struct B {} #[state] struct C {} #[state] struct D {}

#[state] struct E {} #[state] struct F {} #[state] struct G {} #[state] struct Z {}

#[node] fn a(_: A) -> B { B {} }
#[node] fn b(_: B) -> C { C {} }
#[node] fn c(_: C) -> D { D {} }
#[node] fn d(_: D) -> E { E {} }
#[node] fn e(_: E) -> F { F {} }
#[node] fn f(_: F) -> G { G {} }
#[node] fn g(_: G) -> Z { Z {} }

#[flow(lock = "locks/long.lock")]
fn long(a: A) -> Z { flow! { a -> b -> c -> d -> e -> f -> g } }

fn main() {}
