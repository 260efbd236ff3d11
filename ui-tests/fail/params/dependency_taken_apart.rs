use pravah_runtime::prelude::*;

struct Prices {}
#[state] struct A {}
#[state] struct B {}
#[node] fn bill(_: A, Dep(_prices): Dep<Prices>) -> B { B {} }

#[flow]
fn story(a: A) -> B { flow! { bill } }

fn main() {}
