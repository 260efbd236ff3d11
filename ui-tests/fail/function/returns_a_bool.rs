use pravah_runtime::prelude::*;

#[state] struct A {}
#[node] fn is_large(_: A) -> bool { true }

fn main() {}
