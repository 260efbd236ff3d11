use pravah_runtime::prelude::*;

struct A {}
#[state] struct B {}
#[state] struct C {}
#[node] fn read(_: B) -> C { C {} }

#[flow(named)]
fn story(a: A) -> C { flow! { read } }

fn main() {}
