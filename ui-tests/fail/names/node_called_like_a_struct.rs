use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] #[allow(non_camel_case_types)] struct read {}
#[node] fn read(_: A) -> A { A {} }

fn main() {}
