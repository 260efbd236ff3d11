use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[derive(Clone, Debug, PartialEq)]
#[state]
struct Page { text: String }

fn main() {}
