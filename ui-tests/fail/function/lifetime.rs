use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[node]
fn read<'a>(_: &'a A) -> B { B {} }

fn main() {}
