use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[derive(Clone, Debug)]
enum Kind { New, Old }

#[state]
struct Page { kinds: Vec<Kind> }

fn main() {}
